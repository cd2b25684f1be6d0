/* OMP_DISPLAY_ENV and omp_display_env: the variables and their values, in the form of GCC 12 (floor: team). */
#pragma once
#include <stdbool.h>

/* Verbose: the GOMP_ variables too. */
void fg_env_display(bool verbose);
