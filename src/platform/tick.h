/* Tick: signals after a given CPU time of one kernel thread, to the microsecond (floor: platform; used by
 * exec/watch/preempt*.c, renewed by exec/thread/worker.h). The kernel's CPU timers come only with its own tick,
 * every 1 to 10 ms. These ticks count and come in user code alone, so they never interrupt a system call. Where the
 * system refuses them (perf_event_paranoid above 2, containers), the CPU timers take their place.
 *
 * A tick is opened, closed and turned under the lock of preempt_signal.c. The handler, on the thread that the tick met,
 * writes the other fields of its worker's tick. Nothing here allocates. Only fg_tick_prepare and fg_tick_forget may
 * wait, on the spawner's thread. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"

struct fg_tick {
	int file;
	uint64_t id; /* the kernel's number of this event */
	/* Once the tick is open, the kernel thread for which it ticks writes these fields. */
	struct fg_atomic_u64 period_ns; /* also written by the monitor, which hastens it */
	uint64_t last;			/* when the last tick came */
	unsigned seen, late;		/* of the shortest period, since that was last judged */
	unsigned uses;			/* ticks that made a thread give way; the monitor reads it as a hint */
	uint64_t renew_at;
	unsigned renewals; /* in vain so far, RENEWALS_MAX at most; a new tick's first period counts as one */
	uint32_t progress; /* the worker's progress at the last tick that let its thread go on */
	int moved; /* ticks that met another thread than the one before, since they last made the period longer; below
			    * zero: so many more may come, because one was of use */
	uint64_t rest_ns; /* the long period that a short one has taken the place of, for one tick; else 0 */
};

/* The shortest period worth having, as the ticks that came have taught it. */
struct fg_tick_brief {
	struct fg_atomic_u64 ns, shortened_at;
};
#define FG_TICK_BRIEF_MIN_NS 12500 /* the kernel goes no lower than 10 us */

/* Ticks are there once a thread that may wait has prepared them: the spawner, which forgets them at its end. The system
 * may refuse for the moment, so the spawner calls this again and again. */
void fg_tick_prepare(void);
void fg_tick_forget(void);
bool fg_tick_is_ready(void);
/* Opens a tick for this kernel thread of the process, with this signal. It does not run yet. False: the system gives
 * none. */
bool fg_tick_open(struct fg_tick *tick, int tid, int signal);
/* True: a signal that names this file is a tick's, perhaps a late one. */
bool fg_tick_known(int file);
/* True: the program has not closed the file. */
bool fg_tick_is_open(const struct fg_tick *tick);
void fg_tick_close(struct fg_tick *tick);
/* The handler calls this first. It judges the shortest period, and returns how long ago the last tick came. */
uint64_t fg_tick_came(struct fg_tick *tick);
/* A tick came `took` after the last one, now. If it has the shortest period, that may become longer or shorter. */
void fg_tick_judge(struct fg_tick_brief *brief, struct fg_tick *tick, uint64_t took, uint64_t now);
/* The shortest period of the process. */
uint64_t fg_tick_brief(void);
/* A tick was in vain: the next one takes twice as long, but no longer than max_ns. After a short one that has taken the
 * place of a long one, the long one comes back. */
void fg_tick_lengthen(struct fg_tick *tick, uint64_t max_ns);
/* The thread may spin: one tick comes soon, and tells. */
void fg_tick_probe(struct fg_tick *tick);
/* A tick has met another thread than the one before. Several of those are in vain, too. After a long period one tick
 * comes soon, because this thread may spin. */
void fg_tick_moved(struct fg_tick *tick, uint64_t max_ns);
/* Between two ticks that are so far apart a thread that computes has gone on. */
uint64_t fg_tick_far(void);
/* The next tick takes no longer than max_ns. */
void fg_tick_limit(struct fg_tick *tick, uint64_t max_ns);
/* The tick was of use: the next one comes soon, and so will the first one after a pause. */
void fg_tick_shorten(struct fg_tick *tick);
/* Something new begins to wait, so ticks come soon again. After a renewal in vain the next one begins with a longer
 * period, and comes later. */
void fg_tick_renew(struct fg_tick *tick);
/* Turns the ticks on or off. False: the program has closed the file, or the kernel refuses. */
bool fg_tick_run(struct fg_tick *tick, bool on);
