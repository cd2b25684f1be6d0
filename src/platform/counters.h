/* Counters of events, one for each kernel thread (floor: platform; read by exec/watch/pu_counters.c,
 * exec/thread/thread_counters.c).
 *
 * The functions of the table make system calls, and neither allocate nor lock. So a caller may be in a signal handler.
 * The table is chosen before anything is counted, and then only read. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* As in enum fgomp_event. */
enum fg_event_kind { FG_COUNT_NOTHING, FG_COUNT_REMOTE, FG_COUNT_MISSES, FG_COUNT_FAULTS, FG_COUNT_KINDS };
extern const char *const fg_event_names[FG_COUNT_KINDS];

/* The source of the counts. The kernel counts by its performance counters. A simulated machine or a test may put a
 * table in its place before anything is counted. */
struct fg_counters {
	/* A handle; below 0: -errno. `pu`: the place of the worker that the kernel thread carries. */
	int64_t (*open)(enum fg_event_kind kind, int tid, unsigned pu);
	/* The count since it was opened; false: there is no such counter any more. */
	bool (*read)(int64_t handle, uint64_t *count);
	void (*close)(int64_t handle);
	/* Where no counter needs to be opened: the count of a PU so far, and of the calling kernel thread. false: such
	 * events are not counted. NULL: use the functions above. */
	bool (*of_pu)(enum fg_event_kind kind, unsigned pu, uint64_t *count);
	bool (*of_caller)(enum fg_event_kind kind, uint64_t *count);
};
extern const struct fg_counters *fg_counters;
