/* Clock: measures how long each thread uses its PU (floor: exec; turned on by team/boot/sched_option.c for policies
 * that want to know; called by switch.h, ride.c, spare.c and team).
 *
 * A thread's clock runs from the switch to the thread until the switch away from it. It is stopped while the thread
 * waits for its team or for tasks, and while a spare has its PU. The clock is the carrier's: on a simulated machine
 * that of the simulated PU. Live, the time that the system gives to other processes meanwhile is not subtracted. If
 * no policy wants to know, the cost is one load and one branch.
 *
 * Invariant: clock.since != 0 only for the thread that runs, or for a thread that a PU's own kernel thread has in a
 * system call. Only three may write the fields: the kernel thread that carries the thread, the one that has switched
 * it out, and the one that holds it (relief/spare.c).
 *
 * The writers are inside the runtime, perhaps in the preemption handler, and may hold a lock. Nothing here allocates or
 * waits. fg_clock_take may write a message, so it is not called in a handler. */
#pragma once
#include "base/carrier.h"
#include "exec/thread/identity.h"
#include "exec/thread/thread_counters.h"
#include "forest/time.h"

/* True: some policy wants to know. Set when the library is loaded. It has hidden visibility, because each switch
 * reads it directly. */
extern bool fg_clock_on __attribute__((visibility("hidden")));

/* Stops the clock, and adds the time that it showed. */
static inline void
fg_clock_out(struct fg_identity *thread)
{
	uint64_t since = thread->clock.since;
	assert(!since || (thread->entity.time && !thread->clock.stopped));
	if (since) {
		/* In this order: a reader that finds the time in the record does not add it again (fg_clock_shows). */
		*(volatile uint64_t *)&thread->clock.since = 0;
		fg_store_release(&thread->entity.time->own,
				 fg_load_relaxed(&thread->entity.time->own) + (fg_carrier->now() - since));
		if (fg_thread_counters.on)
			fg_thread_counters_out(thread);
	}
}

static inline void
fg_clock_in(struct fg_identity *thread)
{
	assert(thread->clock.since == 0);
	if (thread->entity.time && !thread->clock.stopped) {
		thread->clock.since = fg_carrier->now();
		if (fg_thread_counters.on)
			fg_thread_counters_in(thread);
	}
}

/* For any thread: the time that the clock shows, and that is not in the record yet. 0: it does not run. A hint. */
FG_READS_HINTS static inline uint64_t
fg_clock_shows(const struct fg_identity *thread)
{
	uint64_t since = *(const volatile uint64_t *)&thread->clock.since, now = since ? fg_carrier->now() : 0;
	return now > since ? now - since : 0;
}

void fg_clock_switch_slow(struct fg_identity *self, struct fg_identity *next);
static inline void
fg_clock_switch(struct fg_identity *self, struct fg_identity *next)
{
	if (__builtin_expect(fg_clock_on, 0))
		fg_clock_switch_slow(self, next);
}

/* The running thread waits from now on, wherever it may be switched to meanwhile. True: its clock ran. */
static inline bool
fg_clock_stop(struct fg_identity *self)
{
	if (__builtin_expect(!fg_clock_on, 1))
		return false;
	bool ran = self->clock.since != 0;
	fg_clock_out(self);
	self->clock.stopped = true;
	return ran;
}

/* The wait is over. `ran` is the result of fg_clock_stop. */
static inline void
fg_clock_go(struct fg_identity *self, bool ran)
{
	assert(!ran || (self->clock.stopped && self->clock.since == 0));
	if (__builtin_expect(ran, 0)) {
		self->clock.stopped = false;
		fg_clock_in(self);
	}
}

/* The running thread gets another record of time, or none (NULL), and goes on. Not for signal handlers. */
static inline void
fg_clock_take(struct fg_identity *self, struct fg_time *time)
{
	fg_clock_out(self);
	self->entity.time = time;
	self->clock.stopped = false;
	fg_clock_in(self);
	if (fg_thread_counters.on)
		fg_thread_counters_tell();
}
