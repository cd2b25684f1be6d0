/* Seatings: which members the workers of a layout have, where regions of a pin file differ in that only (floor: exec;
 * called by dock_setup.c for the owner of the dock, by crews.c and forks.c).
 *
 * A pinned team has one member a worker, and its workers keep their PUs from region to region. So a new seating needs
 * no new layout: no lock of the pool, and no look at each worker. The root has a few of them, made beforehand, and a
 * fork tells the number of one. A worker finds its member there, in lines that nobody writes any more.
 *
 * The version of a layout has two parts:
 *
 *     layout = number of the layout << 16 | changes of the seating since
 *
 *     Invariant: equal numbers => the same root, the same workers in the same slots, the same PUs and groups
 *
 * Proof: a number comes from a counter of the process, with each layout that dock_setup.c makes. A change of the
 * seating keeps it. It is refused if others ask for a new layout, if any of the above is new, and after 65,535 changes.
 * A worker with that number took part in all regions of it, so it was told each.
 *
 * The root writes an entry between two regions, never the one of the last region, and before the fork that tells of it.
 * A worker reads it after the fork and before its first phase ends. So no entry changes under a reader.
 *
 * The caller is inside, and holds no lock. */
#pragma once
#include "exec/thread/root_state.h"

#define FG_LAYOUT_CHANGES UINT64_C(0xffff)

static inline bool
fg_layout_same_workers(uint64_t one, uint64_t other)
{
	return (one ^ other) <= FG_LAYOUT_CHANGES;
}

/* The root's layout has these members on its workers from the next fork on. slot_of must stay as it is for good. False:
 * it takes a new layout, or there is no memory. */
bool fg_seating_change(struct fg_root *root, unsigned size, const uint16_t *slot_of);
/* The owner of the worker has seen a fork of this layout, whose workers are those of its crew. It gets its member. */
void fg_seating_take(struct fg_worker *worker, uint64_t layout, unsigned seating);
