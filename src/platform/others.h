/* Other OpenMP runtimes in the process (floor: platform; told by team/boot/start.c where FGOMP_VERBOSE is set). The
 * caller is outside the runtime, without a lock, because the dynamic linker has a lock. Nothing is kept. */
#pragma once
#include <stdbool.h>

/* Is this the file name of an OpenMP runtime: libgomp.so.1, libgomp-1a2b3c.so.1.0.0 of a Python wheel, libomp.so.5,
 * libiomp5.so ... */
bool fg_others_is_runtime(const char *path);
/* Calls tell(path), unless that is NULL, for each runtime that is loaded now, except this library itself. Returns how
 * many there are. */
unsigned fg_others_each(void (*tell)(const char *path));
