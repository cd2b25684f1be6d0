/* Names of outlined functions as people wrote them (floor: draw). */
#pragma once
#include <stddef.h>

/* "refine._omp_fn.0" -> "refine", "_ZN4mesh6refineEd._omp_fn.1" -> "mesh::refine". What is too involved stays as it is. */
void fg_plain_name(const char *name, char *text, size_t size);
