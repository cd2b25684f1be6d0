/* Code: a name for a place in a program's code that lasts from run to run (floor: platform; called by team/hints/pin.c
 * and the command). It is "ID+OFFSET", in hexadecimal digits: the build id of the file, else a digest of its code, and
 * the address as the file has it.
 *
 * The callers are outside the runtime, and hold no lock. A digest is kept while its module is loaded: code that the
 * program changes meanwhile keeps its name. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name of loaded code. False: the address is in no file that is loaded. */
bool fg_code_name(uint64_t address, char *name, size_t size);
/* The name of the code in a file. False: it is no ELF file with code, or cannot be read. */
bool fg_code_name_in_file(const char *path, uint64_t offset, char *name, size_t size);
