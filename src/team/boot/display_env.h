/* OMP_DISPLAY_ENV and omp_display_env: the variables and their values, in the form of GCC 12 (floor: team; called by
 * environment.c and omp). The caller holds no lock and is in no signal handler, because stdio prints. Only the text is
 * written. */
#pragma once
#include <stdbool.h>
#include "team/inside.h"

/* `verbose`: writes the GOMP_ variables, too. */
FG_OUTSIDE void fg_env_display(bool verbose);
