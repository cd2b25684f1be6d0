/* Task reductions (floor: team; called by loop.c, sections.c, doacross.c, gomp/reduction.c and gomp/taskloop.c). The
 * compiler builds arrays that give each thread of the team its own copy of the reduced items.
 *
 * A registered array belongs to one group. The lists of a group are written by the thread that made the group. The
 * words of an array are written before other members can find it, and then only read. No caller holds a lock, but the
 * first member at the begin of a construct (shares_lock). */
#pragma once
#include "team/inside.h"
#include "team/share/workshare.h"
#include "team/tasks/taskgroup.h"

/* Words of an array. From FG_REDUCTION_ITEMS on, each item has three words. */
enum {
	FG_REDUCTION_COUNT,
	FG_REDUCTION_BYTES, /* size of one thread's block */
	FG_REDUCTION_BASE,  /* in: alignment; out: the first thread's block */
	FG_REDUCTION_ALLOCATOR,
	FG_REDUCTION_NEXT, /* next array of this registration, then those of the groups around */
	FG_REDUCTION_HEAD, /* 1 in the first array of a registration, 0 in its others */
	FG_REDUCTION_END,
	FG_REDUCTION_ITEMS,
};

/* Makes zeroed blocks for `threads` threads, and registers the arrays with the group. */
FG_INSIDE void fg_reduction_register(struct fg_taskgroup *group, uintptr_t *array, unsigned threads);
/* Frees the blocks of the arrays. */
FG_ANYWHERE void fg_reduction_unregister(uintptr_t *array);
/* Replaces each of the `count` addresses by that of the same item in the caller's block. For the first `originals`
 * of them, it also stores the original address at items[count + i]. */
FG_INSIDE void fg_reduction_remap(struct fg_identity *self, size_t count, size_t originals, void **items);

/* A worksharing construct (loop, sections, scope) that carries task reductions. Every member calls this at its
 * start. The first member calls it before it publishes the construct. */
void fg_reduction_workshare_begin(struct fg_identity *self, struct fg_workshare *share, bool first,
				  uintptr_t *reductions);
/* The construct's end. It closes the hidden group and, unless cancelled, all members meet. */
FG_INSIDE void fg_reduction_workshare_end(struct fg_identity *self, bool cancelled);
