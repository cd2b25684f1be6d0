/* Internal control variables (OpenMP 5.2, 2.4) of a data environment and of the device (floor: team).
 *
 * A member shares its team's ICVs until it writes one: fg_icv_writable() then gives it a copy of its own. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "team/inside.h"

struct fg_identity;

enum fg_schedule { FG_RUNTIME = 0, FG_STATIC = 1, FG_DYNAMIC = 2, FG_GUIDED = 3, FG_AUTO = 4 };
#define FG_MONOTONIC 0x80000000u

/* omp_proc_bind_t */
enum fg_bind { FG_BIND_FALSE = 0, FG_BIND_TRUE = 1, FG_BIND_PRIMARY = 2, FG_BIND_CLOSE = 3, FG_BIND_SPREAD = 4 };

#define FG_ACTIVE_LEVELS_MAX 255 /* supported active levels */
#define FG_ALLOCATOR_DEFAULT 1	 /* omp_default_mem_alloc */

struct fg_icv {
	unsigned nthreads;		 /* nthreads-var; 0: fg_env_nthreads tells */
	unsigned thread_limit;		 /* UINT_MAX: none */
	unsigned char max_active_levels; /* of the data environment, as in OpenMP 5 */
	unsigned char bind;		 /* bind-var: enum fg_bind */
	bool dynamic;			 /* dyn-var */
	bool private_copy;		 /* belongs to one thread (made by fg_icv_writable) */
	unsigned run_sched;		 /* enum fg_schedule, perhaps | FG_MONOTONIC */
	int run_sched_chunk;
	int default_device;
	unsigned league_size, league_num; /* teams construct: omp_get_num_teams() - 1, omp_get_team_num() */
	uintptr_t default_allocator;	  /* omp_allocator_handle_t */
};

/* What the environment gave, read once by boot/environment.c when the library is loaded. */
struct fg_env {
	struct fg_icv icv;	       /* of every initial thread */
	const unsigned *nthreads_list; /* OMP_NUM_THREADS=4,2,...: value of level L at [L]; NULL: no list */
	unsigned nthreads_list_len;
	const unsigned char *bind_list;
	unsigned bind_list_len;
	bool cancellation, display_affinity;
	bool plain_tasks;    /* neither cancellation nor a race detector has to hear of every task (tasks/plain.h) */
	int wait_policy;     /* -1 unset, 0 passive, 1 active */
	uint64_t spin_ns;    /* how long a waiting thread spins when its PU is its own */
	uint64_t spin_count; /* GOMP_SPINCOUNT as libgomp would have it: for display only */
	uint64_t stack_size; /* of members, bytes; 0: default */
	uint64_t stack_size_text; /* what OMP_STACKSIZE said, usable or not: for display only */
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
/* How many threads a team has where nothing says it: read from files when it is first asked for. By the caller, or NULL for a pthread that
 * the runtime has not met. */
FG_ANYWHERE unsigned fg_env_nthreads(struct fg_identity *self);

/* ICVs of the caller for reading; those of the environment on a pthread the runtime has not met. */
FG_ANYWHERE const struct fg_icv *fg_icv_current(void);
/* ICVs of the caller for writing: of its current data environment, copied first if they are shared. */
FG_ANYWHERE struct fg_icv *fg_icv_writable(struct fg_identity *self);
/* Frees the caller's private copy at the end of its implicit task; its thread.icv is NULL then. */
FG_ANYWHERE void fg_icv_release(struct fg_identity *self);

/* The ICVs that the members of a new region share: `outer` (those of the thread that met the construct) where nothing changes,
 * else *own, filled in. `level` is the new omp_get_level(), `clause` the proc_bind clause, 0 none. */
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

/* How the members of a new region are to be bound: the clause counts only where bind-var is not false. */
static inline unsigned
fg_icv_bind(const struct fg_icv *icv, unsigned clause)
{
	return icv->bind != FG_BIND_FALSE && clause ? clause : icv->bind;
}
