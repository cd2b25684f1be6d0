/* The carrier: the seam between the runtime and whatever makes its workers run (floor: base, so that even the spin lock
 * waits through it; filled by exec/carrier/live.c with kernel threads and futexes, by exec/carrier/virtual.c with contexts
 * on a single kernel thread, the next one chosen by a seed, and by sim/places.c with such contexts that each have a clock). */
#pragma once
#include "base/atomic.h"

struct fg_ran {
	uint64_t ns;	  /* it has run */
	uint64_t blocked; /* times it gave its PU up */
	uint64_t forced;  /* times it was taken off its PU */
};

struct fg_carrier {
	const char *name;
	/* Starts a kernel thread (or a context that stands for one) in start(arg). 0, or an errno value. */
	int (*start)(void (*start)(void *), void *arg, const char *thread_name);
	/* Sleeps while *word == value, at most timeout_ns (0: no limit). May return early. */
	void (*wait)(struct fg_atomic_u32 *word, uint32_t value, uint64_t timeout_ns);
	/* Wakes up to count sleepers on word. */
	void (*wake)(struct fg_atomic_u32 *word, unsigned count);
	/* Called once in each turn of a spinning loop. */
	void (*pause)(void);
	/* Lets another kernel thread have the caller's PU, if one waits for it. NULL: each has its own. */
	void (*yield)(void);
	/* Monotonic time in nanoseconds. */
	uint64_t (*now)(void);
	/* What the kernel has done with the calling kernel thread so far. */
	void (*ran)(struct fg_ran *ran);
	/* A thread of the program is new to the runtime. NULL: any may be. */
	void (*meet)(void);
	/* The program says that it has computed so long (fgomp_sim_work). NULL: it has not. */
	void (*work)(uint64_t ns);
	/* It has gone through so many bytes (fgomp_sim_read, fgomp_sim_write). NULL: it has not. */
	void (*touch)(const void *start, size_t bytes, bool writes);
};

extern const struct fg_carrier *fg_carrier;
extern const struct fg_carrier fg_carrier_live;
