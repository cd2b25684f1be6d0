/* Names of outlined functions as the programmer wrote them (command; called by story_regions.c). */
#pragma once
#include <stddef.h>

/* "refine._omp_fn.0" -> "refine", "_ZN4mesh6refineEd._omp_fn.1" -> "mesh::refine", "__solver_MOD_sum._omp_fn.0" ->
 * "solver::sum". Parameters and the type of the result are left out. */
void fg_plain_name(const char *name, char *text, size_t size);
