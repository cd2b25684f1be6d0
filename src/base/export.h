/* Export of entry points (floor: base; used by omp, acc, libc, gomp). The word FG_EXPORT stands before the definition.
 * The file src/libgomp.map gives each name its version. It has macros only. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The compiler knows an entry point's prototype, or omp.h or openacc.h declares it. The library needs no header of its
 * own for it. */
#define FG_EXPORT __attribute__((visibility("default")))
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
/* Gives a function that is defined above in the same file a second exported name. */
#define FG_ABI_ALIAS(type, name, arguments, of) __attribute__((visibility("default"), alias(#of))) type name arguments;
