/* The carrier: the functions that make workers run (floor: base; called through fg_carrier by most floors, even by the
 * spin lock). exec/carrier/live.c has kernel threads and futexes. exec/carrier/virtual.c has contexts on one kernel
 * thread, and a seed chooses the next. sim/carrier.c gives each such context a clock.
 *
 * Each function says where it may be called. The table is chosen before there are workers, and then only read. */
#pragma once
#include "base/atomic.h"

#include <stdio.h>

struct fg_ran {
	uint64_t ns;	  /* CPU time of the kernel thread so far */
	uint64_t blocked; /* how often it gave its PU up */
	uint64_t forced;  /* how often it was taken off its PU */
};

struct fg_carrier {
	const char *name;
	/* Starts a kernel thread (or a context that stands for one) in start(arg). 0, or an errno value. The caller is
	 * outside the runtime, because the call may wait for locks of the C library. */
	int (*start)(void (*start)(void *), void *arg, const char *thread_name);
	/* Sleeps while *word == value, at most timeout_ns (0: no limit). May return early. */
	void (*wait)(struct fg_atomic_u32 *word, uint32_t value, uint64_t timeout_ns);
	/* Wakes up to `count` sleepers on `word`. This and `now` may be called in a signal handler. */
	void (*wake)(struct fg_atomic_u32 *word, unsigned count);
	/* Called once in each turn of a spinning loop. */
	void (*pause)(void);
	/* Lets another kernel thread have the caller's PU, if one waits for it. NULL: each has its own. */
	void (*yield)(void);
	/* Monotonic time in nanoseconds. */
	uint64_t (*now)(void);
	/* Tells how the kernel has treated the calling kernel thread so far. */
	void (*ran)(struct fg_ran *ran);
	/* The calling thread of the program meets the runtime for the first time. NULL: any number of threads may. */
	void (*meet)(void);
	/* The program says that it has computed for so long (fgomp_sim_work). NULL: the carrier ignores it. */
	void (*work)(uint64_t ns);
	/* It says that it has gone through these bytes (fgomp_sim_read, fgomp_sim_write). NULL: the carrier ignores
	 * it. */
	void (*touch)(const void *start, size_t bytes, bool writes);
	/* Writes lines "name=value" that tell how the run can be repeated, into the facts of a trace. NULL: there are
	 * none. */
	void (*describe)(FILE *text);
};

extern const struct fg_carrier *fg_carrier;
extern const struct fg_carrier fg_carrier_live;
