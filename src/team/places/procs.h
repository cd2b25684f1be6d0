/* Procs: how many CPUs the caller may use (floor: team; called by omp/icv.c and region/size.h). The caller is inside or
 * outside, and holds no lock. A system call or a file tells; nothing is kept. */
#pragma once
#include "team/inside.h"

/* The most members that a region may have where dyn-var is true: the CPUs that other processes leave free, at least
 * 1. */
unsigned fg_icv_dynamic_limit(void);

/* omp_get_num_procs(): the number of CPUs that the caller may use. */
FG_ANYWHERE unsigned fg_icv_num_procs(void);
