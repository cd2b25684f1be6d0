/* The dock itself (floor: exec; used by dock.c and dock_setup.c only). */
#pragma once
#include "base/atomic.h"

struct fg_root;

#define SLOTS_MAX 0xffffu

struct fg_dock {
	/* The one line that a fork moves to each worker. */
	_Alignas(128) struct fg_atomic_u64 epoch;
	void (*body)(void *job, unsigned member);
	void *job;
	void (*fn)(void *data);
	void *data;
	struct fg_root *root;
	uint64_t layout;
	/* Only the owner of the dock uses these. */
	_Alignas(128) struct fg_atomic_ptr owner;
	uint64_t base; /* last phase of the last region */
	uint64_t layouts;
	uint64_t seated; /* the layout for which the other workers have their seats */
};
/* Hidden, so that each file reads it without an indirection. */
extern struct fg_dock fg_dock __attribute__((visibility("hidden")));

/* fg_dock_worker is the code of a new worker's kernel thread, fg_dock_donor that of a docked donor. fg_dock_wake_all
 * makes all workers look at the line. All three are in dock.c. */
void fg_dock_worker(void *worker);
void fg_dock_donor(void);
void fg_dock_wake_all(void);
