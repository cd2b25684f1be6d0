/* Internal control variables (OpenMP 5.2, 2.4) of a data environment and of the device (floor: team; called by most
 * sub-floors of team, by gomp and by omp).
 *
 * A member shares its team's ICVs until it writes one. Then fg_icv_writable() gives it a copy of its own.
 *
 * Invariant: no thread writes ICVs that another thread may read. A thread writes only its private copy. A team's ICVs
 * are written at the fork, before its members run.
 *
 * Callers are inside or outside, and hold no lock: a copy comes from the runtime's memory. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "team/inside.h"

struct fg_identity;
struct fg_team;

enum fg_schedule { FG_RUNTIME = 0, FG_STATIC = 1, FG_DYNAMIC = 2, FG_GUIDED = 3, FG_AUTO = 4 };
#define FG_MONOTONIC 0x80000000u

/* omp_proc_bind_t */
enum fg_bind { FG_BIND_FALSE = 0, FG_BIND_TRUE = 1, FG_BIND_PRIMARY = 2, FG_BIND_CLOSE = 3, FG_BIND_SPREAD = 4 };

#define FG_ACTIVE_LEVELS_MAX 255 /* supported active levels */
#define FG_ALLOCATOR_DEFAULT 1	 /* omp_default_mem_alloc */

struct fg_icv {
	unsigned nthreads;		 /* nthreads-var; 0: see fg_env_nthreads */
	unsigned thread_limit;		 /* UINT_MAX: no limit */
	unsigned char max_active_levels; /* of the data environment, as in OpenMP 5 */
	unsigned char bind;		 /* bind-var: enum fg_bind */
	bool dynamic;			 /* dyn-var */
	bool private_copy;		 /* belongs to one thread (made by fg_icv_writable) */
	unsigned run_sched;		 /* enum fg_schedule, perhaps | FG_MONOTONIC */
	int run_sched_chunk;
	int default_device;
	unsigned league_size, league_num; /* teams construct: omp_get_num_teams() - 1, omp_get_team_num() */
	uintptr_t default_allocator;	  /* omp_allocator_handle_t */
	/* The team around the teams construct, which is none in a conforming program. Each team of a league begins a
	 * contention group. */
	const struct fg_team *around_league;
};

/* The values of the environment. boot/environment.c reads them once, when the library is loaded. Afterwards only
 * omp_set_num_teams and omp_set_teams_thread_limit change one. */
struct fg_env {
	struct fg_icv icv;	       /* the ICVs of every initial thread */
	const unsigned *nthreads_list; /* OMP_NUM_THREADS=4,2,...: value of level L at [L]; NULL: no list */
	unsigned nthreads_list_len;
	const unsigned char *bind_list;
	unsigned bind_list_len;
	bool cancellation, display_affinity;
	bool plain_tasks;	  /* no cancellation and no race detector: tasks may be plain (tasks/plain.h) */
	int wait_policy;	  /* -1 unset, 0 passive, 1 active */
	uint64_t spin_ns;	  /* how long a waiting thread spins when its PU is its own */
	uint64_t spin_count;	  /* GOMP_SPINCOUNT as libgomp would have it, only for display */
	uint64_t stack_size;	  /* of members, in bytes; 0: default */
	uint64_t stack_size_text; /* the value of OMP_STACKSIZE, usable or not; only for display */
	unsigned max_task_priority;
	int target_offload;	     /* 0 default, 1 mandatory, 2 disabled */
	unsigned nteams;	     /* OMP_NUM_TEAMS or omp_set_num_teams, 0: none */
	unsigned teams_thread_limit; /* OMP_TEAMS_THREAD_LIMIT or omp_set_teams_thread_limit, 0: none */
	unsigned num_procs;	     /* CPUs in the affinity mask when the library was loaded */
	bool kernel_threads;	     /* FGOMP_THREADS=kernel */
	uint64_t slice_ns;	     /* FGOMP_SLICE: time slice of a thread when others wait for its PU */
	bool verbose;
};
extern struct fg_env fg_env;
/* The number of threads of a team where no clause, routine or variable sets it. This is num_procs, or less if the
 * control groups grant less CPU time. The first call reads their quota from files. `self` is the caller, or NULL for a
 * pthread that the runtime has not met. */
FG_ANYWHERE unsigned fg_env_nthreads(struct fg_identity *self);

/* ICVs of the caller for reading. A pthread that the runtime has not met reads those of the environment. */
FG_ANYWHERE const struct fg_icv *fg_icv_current(void);
/* ICVs of the caller's current data environment for writing. If they are shared, the call copies them first. */
FG_ANYWHERE struct fg_icv *fg_icv_writable(struct fg_identity *self);
/* Frees the caller's private copy where its data environment ends: that of a task, of a target region, of a league's
 * team or of a thread of the program. Afterwards its thread.icv is NULL. */
FG_ANYWHERE void fg_icv_release(struct fg_identity *self);

/* The ICVs that the members of a new region share. They are `outer`, those of the encountering thread, where nothing
 * changes, else *own, which the call fills in. `level` is the new omp_get_level(); `clause` is the proc_bind clause,
 * 0 none. */
struct fg_icv *fg_icv_inherit_slow(struct fg_icv *outer, unsigned level, unsigned clause, struct fg_icv *own);
static inline struct fg_icv *
fg_icv_inherit(struct fg_icv *outer, unsigned level, unsigned clause, struct fg_icv *own)
{
	if (!outer)
		outer = &fg_env.icv;
	if (__builtin_expect(!outer->private_copy && !clause && !fg_env.nthreads_list && !fg_env.bind_list, 1))
		return outer;
	return fg_icv_inherit_slow(outer, level, clause, own);
}

/* The binding of the members of a new region. The clause counts only where bind-var is not false. */
static inline unsigned
fg_icv_bind(const struct fg_icv *icv, unsigned clause)
{
	return icv->bind != FG_BIND_FALSE && clause ? clause : icv->bind;
}
