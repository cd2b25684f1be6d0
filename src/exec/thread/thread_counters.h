/* Thread counters: how many of those that are counted each thread has had (floor: exec; called by clock.h, asked for by
 * team/sched_option.c).
 *
 * What the kernel thread that carries it has had from when a thread's clock begins to run until it stops is the
 * thread's. It is read there and then, by who carries the thread, or has its kernel thread at rest (hold.c): on a
 * simulated machine at no cost, else by a system call for each reading. Nobody asked: one load and one branch, and only
 * where clocks run. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct fg_identity;

/* Of a worker: the counter of the kernel thread that carried it when it was opened. By who carries it. */
struct fg_thread_counters_file {
	bool open;
	int tid;
	int64_t handle;
};

extern bool fg_thread_counters_on;
/* From now on (enum fg_event_kind); who asks is named in what is said if they cannot be counted. Once, before there are
 * workers. */
void fg_thread_counters_ask(unsigned kind, const char *who);
/* The thread's clock runs, stops. */
void fg_thread_counters_in(struct fg_identity *thread);
void fg_thread_counters_out(struct fg_identity *thread);
/* Outside of signal handlers: says that they cannot be counted, if that was seen. */
void fg_thread_counters_tell(void);
