/* Names of functions, from the symbol tables of an ELF file, local ones too (floor: platform; used by stuck, trace, and
 * the command). The caller is outside the runtime or is the watcher, holds no lock, and is in no signal handler.
 * Nothing is kept. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The function that holds this address, as the file has it (less the address at which it was loaded). False: the file
 * cannot be read, or names none there; then `name` is "FILE+0xADDRESS". */
bool fg_symbol_name(const char *path, uint64_t address, char *name, size_t size);

/* EXPORTED: a function of the dynamic table only. */
enum fg_symbol_kind { FG_SYMBOL_FUNCTION, FG_SYMBOL_EXPORTED, FG_SYMBOL_DATA };
/* The same for a function or a variable. *offset says how far behind its beginning the address lies. */
bool fg_symbol_find(const char *path, uint64_t address, enum fg_symbol_kind kind, char *name, size_t size,
		    uint64_t *offset);
