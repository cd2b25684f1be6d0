/* Detach: what a handle of a detach clause names (floor: team; used by create.c).
 *
 * A handle is the number of a slot and its use. Slots are never given back to the system, so any handle may be looked up at any time;
 * the word of the slot says what became of that use, until the slot is used again: after that only that it is over. Whoever ends the use, by
 * compare-and-swap of the word, is the one who fulfils the event or drops it, and the task is complete only after that: so it is
 * there for whoever fulfils. */
#pragma once
#include "base/atomic.h"

struct fg_deferred;

enum fg_detach_end { FG_DETACH_FULFILLED, FG_DETACH_DROPPED };
enum fg_detach_answer {
	FG_DETACH_IS_ENDED, /* by this call */
	FG_DETACH_WAS_FULFILLED,
	FG_DETACH_WAS_DROPPED,
	FG_DETACH_IS_OVER, /* the one or the other, and its slot is used again */
	FG_DETACH_IS_NONE,
};

/* An event of the task; NULL: one that is dropped already. */
uint64_t fg_detach_new(struct fg_deferred *task);
/* Ends its use if it lasts, and tells whose it was. */
enum fg_detach_answer fg_detach_end(uint64_t handle, enum fg_detach_end how, struct fg_deferred **task);
