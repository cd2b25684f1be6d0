/* OMP_DISPLAY_ENV and omp_display_env: the variables and their values, in the form of GCC 12 (floor: team). */
#pragma once
#include <stdbool.h>

#define FG_ALLOCATOR_NAMES 8
/* Name of the predefined allocator with the handle index + 1. */
extern const char *const fg_allocator_names[FG_ALLOCATOR_NAMES];

/* Verbose: the GOMP_ variables too. */
void fg_env_display(bool verbose);
