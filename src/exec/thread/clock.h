/* Clock: measures what each thread uses of its PU (floor: exec; set up by team/load_history.c, for policies that want
 * to know).
 *
 * A thread's clock runs from when it is switched to until it is switched away from; it stands while the thread waits
 * for its team or for tasks, and while a spare has its PU. It is the carrier's clock: on a simulated machine that of
 * the simulated PU; live, what the system gives to others meanwhile is not taken off. Nobody wants to know: one load
 * and one branch.
 *
 * Invariant: clock_since != 0 only of the thread that runs, or that a PU's own kernel thread has in a call of the
 * system; only who carries the thread, or has switched it out, or holds it (hold.c) writes the fields. */
#pragma once
#include "base/carrier.h"
#include "exec/thread/identity.h"
#include "exec/thread/thread_counters.h"
#include "forest/time.h"

/* Some policy wants to know; set when the library is loaded. Hidden: each switch reads it where it lies. */
extern bool fg_clock_on __attribute__((visibility("hidden")));

/* Off, and what it showed is added up. */
static inline void
fg_clock_out(struct fg_identity *thread)
{
	if (thread->clock.since) {
		fg_time_add(&thread->entity.time->own, fg_carrier->now() - thread->clock.since);
		thread->clock.since = 0;
		if (fg_thread_counters_on)
			fg_thread_counters_out(thread);
	}
}

static inline void
fg_clock_in(struct fg_identity *thread)
{
	if (thread->entity.time && !thread->clock.stands) {
		thread->clock.since = fg_carrier->now();
		if (fg_thread_counters_on)
			fg_thread_counters_in(thread);
	}
}

static inline void
fg_clock_switch(struct fg_identity *self, struct fg_identity *next)
{
	if (__builtin_expect(fg_clock_on, 0)) {
		fg_clock_out(self);
		fg_clock_in(next);
	}
}

/* The running thread waits from now on, wherever it may be switched to meanwhile; true: its clock ran. */
static inline bool
fg_clock_stop(struct fg_identity *self)
{
	if (__builtin_expect(!fg_clock_on, 1))
		return false;
	bool ran = self->clock.since != 0;
	fg_clock_out(self);
	self->clock.stands = true;
	return ran;
}

/* The wait is over; `ran`: as stop said. */
static inline void
fg_clock_go(struct fg_identity *self, bool ran)
{
	if (__builtin_expect(ran, 0)) {
		self->clock.stands = false;
		fg_clock_in(self);
	}
}

/* The running thread has another record, or none (NULL), and goes on. Not in a signal handler. */
static inline void
fg_clock_take(struct fg_identity *self, struct fg_time *time)
{
	fg_clock_out(self);
	self->entity.time = time;
	self->clock.stands = false;
	fg_clock_in(self);
	if (fg_thread_counters_on)
		fg_thread_counters_tell();
}
