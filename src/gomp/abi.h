/* How the ABI floor names an entry point: exported, with its prototype beside it (floor: gomp). The version of each name is in
 * libgomp.map. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* FG_ABI(int, omp_in_final, (void)) { ... } */
#define FG_ABI(type, name, arguments)                                                                                  \
	__attribute__((visibility("default"))) type name arguments;                                                    \
	type name arguments
/* A second exported name of a function defined above in the same file. */
#define FG_ABI_ALIAS(type, name, arguments, of) __attribute__((visibility("default"), alias(#of))) type name arguments;
