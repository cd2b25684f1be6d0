/* Tick: signals after a given CPU time of one kernel thread, to the microsecond (floor: exec; used by preempt.c). The kernel's
 * CPU timers come with its own tick only, every 1 to 10 ms. These count and come in user code alone, so no system call is ever
 * interrupted. Where the system refuses them (perf_event_paranoid above 2, containers) the CPU timers have to do. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define FG_TICK_BRIEF_NS 12500 /* the kernel does it no faster than 10 us */

struct fg_tick {
	int file;
	uint64_t id; /* the kernel's, of this event */
	/* Written by the kernel thread that it ticks for, once open. */
	uint64_t period_ns;
	uint32_t progress; /* the worker's at the last tick that let its thread go on */
};

/* For this kernel thread of the process, not running yet; false: not to be had. */
bool fg_tick_open(struct fg_tick *tick, int tid);
/* A signal that names this file is a tick's, perhaps a late one. */
bool fg_tick_known(int file);
void fg_tick_close(struct fg_tick *tick);
void fg_tick_period(struct fg_tick *tick, uint64_t ns);
bool fg_tick_run(struct fg_tick *tick, bool on);
