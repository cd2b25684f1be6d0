/* Region: from the parallel construct to its join (floor: team; called by gomp, and by boot/start.c when a thread of
 * the program ends).
 *
 * The encountering thread calls, outside, without a lock and in no signal handler. It may return on another kernel
 * thread, unless it is a root. region.c has the invariants. */
#pragma once
#include "team/inside.h"
#include "team/team.h"

/* Runs fn(data) with a team: GOMP_parallel. num_threads 0: the ICV decides. `flags` is as in gomp-abi, with
 * proc_bind in bits 0-2. `prepare` may be NULL. Otherwise it is called with the new team before any member starts,
 * because combined loops set up their first construct in it. */
FG_OUTSIDE void fg_region(void (*fn)(void *), void *data, unsigned num_threads, unsigned flags,
			  void (*prepare)(struct fg_team *team, void *arg), void *arg);
/* The old split form. The caller becomes member 0 and runs the body itself between the two. */
FG_OUTSIDE void fg_region_start(void (*fn)(void *), void *data, unsigned num_threads, unsigned flags,
				void (*prepare)(struct fg_team *team, void *arg), void *arg);
FG_OUTSIDE void fg_region_end(void);
