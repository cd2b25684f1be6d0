/* Internal control variables (OpenMP 5.2, 2.4) of a data environment and of the device (floor: team).
 *
 * A member shares its team's ICVs until it writes one: fg_icv_writable() then gives it a copy of its own. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct fg_identity;

enum fg_schedule { FG_RUNTIME = 0, FG_STATIC = 1, FG_DYNAMIC = 2, FG_GUIDED = 3, FG_AUTO = 4 };
#define FG_MONOTONIC 0x80000000u

struct fg_icv {
	unsigned nthreads;	    /* nthreads-var, >= 1 */
	unsigned thread_limit;	    /* UINT_MAX: none */
	unsigned char max_active_levels; /* of the data environment, as in OpenMP 5 */
	unsigned char bind;	    /* bind-var: omp_proc_bind_t */
	bool dynamic;		    /* dyn-var */
	bool private_copy;	    /* belongs to one thread (made by fg_icv_writable) */
	unsigned run_sched;	    /* enum fg_schedule, perhaps | FG_MONOTONIC */
	int run_sched_chunk;
	int default_device;
	unsigned nteams;	    /* omp_set_num_teams, 0: none */
	unsigned teams_thread_limit;
	uintptr_t default_allocator; /* omp_allocator_handle_t */
	/* place-partition-var: first place and number of places; 0 places: no list */
	unsigned partition_first, partition_count;
	unsigned place; /* place of the thread + 1; 0: not bound */
};

/* What the environment gave, read once by env.c when the library is loaded. */
struct fg_env {
	struct fg_icv icv;	       /* of every initial thread */
	const unsigned *nthreads_list; /* OMP_NUM_THREADS=4,2,...: value of level L at [L]; NULL: no list */
	unsigned nthreads_list_len;
	const unsigned char *bind_list;
	unsigned bind_list_len;
	bool cancellation, display_affinity;
	int wait_policy; /* -1 unset, 0 passive, 1 active */
	uint64_t spin_ns;	      /* how long a waiting thread spins when its PU is its own */
	uint64_t stack_size;	      /* of members, bytes; 0: default */
	unsigned max_task_priority;
	int target_offload;	      /* 0 default, 1 mandatory, 2 disabled */
	unsigned num_procs;	      /* CPUs in the affinity mask when the library was loaded */
	bool kernel_threads;	      /* FGOMP_THREADS=kernel */
	uint64_t slice_ns;	      /* FGOMP_SLICE: time slice of a thread when others wait for its PU */
	bool verbose;
	const char *policy;	      /* FGOMP_SCHED */
};
extern struct fg_env fg_env;

/* ICVs of the caller for reading; those of the environment on a pthread the runtime has not met. */
const struct fg_icv *fg_icv_current(void);
/* ICVs of the caller for writing: of its current data environment, copied first if they are shared. */
struct fg_icv *fg_icv_writable(struct fg_identity *self);
/* Frees the caller's private copy at the end of its implicit task. */
void fg_icv_release(struct fg_identity *self);
