/* PU counters: how many events a second each PU has, for policies that ask (floor: exec; read by the monitor and by
 * sim/overseer.c, requested by team/boot/sched_option.c). No lock is held, because policies are told. The files are
 * those of the monitor: `counting` of each worker. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct fg_worker;

/* From now on these events are counted, once in each period. `who` is the policy that asks. It is named in the
 * message if they cannot be counted. Called at most once, before the monitor starts. */
void fg_pu_counters_ask(unsigned event, uint64_t period, const char *who);
/* Reads the counters, if it is time, and tells the policies. True: events were counted lately, so the caller must
 * look again soon. */
bool fg_pu_counters_look(uint64_t now);
/* When the next look is due. UINT64_MAX: none is due. */
uint64_t fg_pu_counters_due(void);
/* The worker's kernel thread is about to end, or has ended. */
void fg_pu_counters_forget(struct fg_worker *worker);
