/* Thread counters: how many of the counted events each thread has had (floor: exec; called by clock.h, requested by
 * team/boot/sched_option.c).
 *
 * The events of a thread are those of the kernel thread that carries it, from the start of the thread's clock to its
 * stop. The counter is read at these moments. The reader is the kernel thread that carries the thread, or another
 * one that holds that one at rest (relief/spare.c). On a simulated machine a reading costs nothing; else it costs a
 * system call. If no policy asked, the cost is one load and one branch, and only where clocks run.
 *
 * in and out are called as the clock is (clock.h): perhaps in a signal handler. They make system calls, and neither
 * allocate nor write a message: fg_thread_counters_tell does that later. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"

struct fg_identity;

/* The counter of the kernel thread that carried the worker when it was opened. The kernel thread that carries the
 * worker writes it, or the monitor while it holds that one (relief/spare.c). */
struct fg_thread_counters_file {
	bool open;
	int tid;
	int64_t handle;
};

extern struct fg_thread_counters {
	bool on;
	unsigned kind; /* enum fg_event_kind */
	struct fg_atomic_u32 refused;
	struct fg_atomic_u32 untold; /* the error of the refusal, until a message has told it */
	const char *asker;
} fg_thread_counters;
/* From now on these events (enum fg_event_kind) are counted. `who` is the policy that asks. It is named in the
 * message if they cannot be counted. Called at most once, before there are workers. */
void fg_thread_counters_ask(unsigned kind, const char *who);
/* The thread's clock starts; the thread's clock stops. */
void fg_thread_counters_in(struct fg_identity *thread);
void fg_thread_counters_out(struct fg_identity *thread);
/* Outside of signal handlers: writes a message that the events cannot be counted, if that was noted. */
void fg_thread_counters_tell(void);
