/* Region: from the parallel construct to its join (floor: team; called by gomp). */
#pragma once
#include "team/inside.h"
#include "team/team.h"

/* Runs fn(data) with a team: GOMP_parallel. num_threads 0: the ICV decides; flags as in gomp-abi (proc_bind in bits 0-2).
 * `prepare`, if not NULL, is called with the new team before any member starts (combined loops set up their first construct). */
FG_OUTSIDE void fg_region(void (*fn)(void *), void *data, unsigned num_threads, unsigned flags,
			  void (*prepare)(struct fg_team *team, void *arg), void *arg);
/* The old split form: the caller becomes member 0 and runs the body itself between the two. */
FG_OUTSIDE void fg_region_start(void (*fn)(void *), void *data, unsigned num_threads, unsigned flags,
				void (*prepare)(struct fg_team *team, void *arg), void *arg);
FG_OUTSIDE void fg_region_end(void);
