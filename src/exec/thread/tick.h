/* Tick: signals after a given CPU time of one kernel thread, to the microsecond (floor: exec; used by preempt.c and
 * preempt_timer.c). The kernel's CPU timers come with its own tick only, every 1 to 10 ms. These count and come in user
 * code alone, so no system call is ever interrupted. Where the system refuses them (perf_event_paranoid above 2,
 * containers) the CPU timers have to do. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"

struct fg_tick {
	int file;
	uint64_t id; /* the kernel's, of this event */
	/* Written by the kernel thread that it ticks for, once open. */
	struct fg_atomic_u64 period_ns; /* also by the monitor, which hastens it */
	uint64_t last;			/* when it came */
	unsigned seen, late;		/* of the shortest period, since that was judged */
	uint64_t renew_at;
	unsigned renewals; /* in vain */
	uint32_t progress; /* the worker's at the last tick that let its thread go on */
};

/* For this kernel thread of the process, by this signal, not running yet; false: not to be had. */
bool fg_tick_open(struct fg_tick *tick, int tid, int signal);
/* A signal that names this file is a tick's, perhaps a late one. */
bool fg_tick_known(int file);
/* The program has not closed it. */
bool fg_tick_is_open(const struct fg_tick *tick);
void fg_tick_close(struct fg_tick *tick);
/* The handler's first call. */
void fg_tick_came(struct fg_tick *tick);
/* The shortest period worth having. */
uint64_t fg_tick_brief(void);
/* A tick in vain: the next one takes twice as long, but no longer than max_ns. */
void fg_tick_lengthen(struct fg_tick *tick, uint64_t max_ns);
/* The next one takes no longer than this. */
void fg_tick_limit(struct fg_tick *tick, uint64_t max_ns);
/* It was worth it: the next comes soon, and after a pause the first one will. */
void fg_tick_shorten(struct fg_tick *tick);
/* Something new begins to wait: ticks come soon again; but less soon, and more and more seldom, as long as they are in
 * vain. */
void fg_tick_renew(struct fg_tick *tick);
bool fg_tick_run(struct fg_tick *tick, bool on);
