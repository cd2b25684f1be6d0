/* The dock itself, for dock.c and dock_setup.c only (floor: exec; design D4). */
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
	/* Owner only. */
	_Alignas(128) struct fg_atomic_ptr owner;
	uint64_t base; /* last phase of the last region */
	uint64_t layouts;
	uint64_t seated; /* the layout for which the others sit */
};
/* Hidden, so that each file reads it where it lies. */
extern struct fg_dock fg_dock __attribute__((visibility("hidden")));

/* What a new worker's kernel thread runs, and a docked donor; and all workers look at the line (dock.c). */
void fg_dock_worker(void *worker);
void fg_dock_donor(void);
void fg_dock_wake_all(void);
