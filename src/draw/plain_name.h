/* Names of outlined functions as the programmer wrote them (floor: draw; called by story_regions.c). */
#pragma once
#include <stddef.h>

/* "refine._omp_fn.0" -> "refine", "_ZN4mesh6refineEd._omp_fn.1" -> "mesh::refine". Names that are more complex stay. */
void fg_plain_name(const char *name, char *text, size_t size);
