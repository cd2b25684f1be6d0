/* PU counters: how many events a second each PU has, for policies that ask (floor: exec; read by the monitor, asked for by team/boot/sched_option.c). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct fg_worker;

/* Of a worker, by the monitor: a counter belongs to the kernel thread that carried it when it was opened. */
struct fg_counting {
	bool open;
	int tid;
	int64_t handle;
	uint64_t last;
};

/* From now on these events are counted, once in each period; who asks is named in what is said if they cannot be. Once, before the monitor starts. */
void fg_pu_counters_ask(unsigned event, uint64_t period, const char *who);
/* Reads them, if it is time, and tells the policies. true: something was counted lately, look again soon. */
bool fg_pu_counters_look(uint64_t now);
/* When the next look is due; UINT64_MAX: none is. */
uint64_t fg_pu_counters_due(void);
/* The worker's kernel thread is about to end, or has. */
void fg_pu_counters_forget(struct fg_worker *worker);
