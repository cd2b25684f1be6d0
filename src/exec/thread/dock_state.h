/* Dock state: the data of a root's dock (floor: exec; used by flat and pool, and part of fg_root). dock.c has the
 * protocol of the forks, pool/berths.c that of the workers that come and go. Each group of fields names those that may
 * write it. */
#pragma once
#include "base/atomic.h"
#include "platform/float.h"

struct fg_dock;
struct fg_worker;

/* A worker's post: its slot in a dock. The contents never change. */
struct fg_berth {
	struct fg_dock *dock;
	unsigned slot;
};

/* The first line is the one that a fork moves to each worker. In a large team each group has a copy (flat/forks.h). */
struct fg_fork {
	_Alignas(128) struct fg_atomic_u64 epoch;
	void (*body)(void *job, unsigned member);
	void *job;
	void (*fn)(void *data);
	void *data;
	struct fg_atomic_u64 layout;
	struct fg_float modes; /* of the root at the fork */
	uint16_t seating;      /* of the layout: which members the workers have (flat/seating.h) */
	bool releases;	       /* a fork without a body: homes come free (flat/anchor.c). False: the workers end */
	/* flat (help.c): see help.h. */
	_Alignas(128) struct fg_atomic_u64 help_word;
};

struct fg_dock {
	struct fg_fork fork;
	/* Only the owner of the dock uses these. `owner` itself is the exception. */
	/* The root whose region is in flight, or a thread that moves workers. */
	_Alignas(128) struct fg_atomic_ptr owner;
	uint64_t base;		     /* last phase of the last region */
	struct fg_atomic_u64 seated; /* the layout that holds; others store 0 where the root must make a new one */
	/* pool (berths.c): written under its lock by the owner of the dock; any thread with the lock may write those
	 * about plans and idleness. `slot` is also read by the workers of a region, and a little later. */
	_Alignas(128) struct fg_atomic_ptr *slot; /* [0]: the root's worker; NULL: no worker is posted there */
	struct fg_berth *berth;			  /* of each slot */
	uint16_t *pu;				  /* the layout's PUs, by slot */
	unsigned held;				  /* the layout has so many workers and PUs; 0: there is none */
	bool compact;				  /* their PUs fill no larger part of the machine than they need */
	bool displaced;				  /* another layout had PUs of the pin file, so these are others */
	unsigned replans;			  /* so often others may ask the root for a better layout */
	uint32_t refused_at;	/* berths.c: the number of times that workers had come free when the root was refused */
	unsigned skip, backoff; /* regions until the root asks for workers again; written by the root */
	uint64_t idle_epoch, idle_since; /* the dock was idle at that time, after that fork; 0: it was not */
	struct fg_dock *next;
};

/* The worker in this slot of a dock. */
static inline struct fg_worker *
fg_slot(const struct fg_atomic_ptr *slot, unsigned i)
{
	return fg_load_relaxed(&slot[i]);
}
