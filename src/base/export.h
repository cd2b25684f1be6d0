/* How the ABI floor names an entry point: exported by a word before its definition (floor: base). The version of each name is in
 * libgomp.map. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An entry point. Its prototype is the compiler's, or in omp.h and openacc.h; nothing in the library calls it by a header of ours. */
#define FG_EXPORT __attribute__((visibility("default")))
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
/* A second exported name of a function defined above in the same file. */
#define FG_ABI_ALIAS(type, name, arguments, of) __attribute__((visibility("default"), alias(#of))) type name arguments;
