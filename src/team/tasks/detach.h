/* Detach: the event that a handle of a detach clause names (floor: team; used by create.c,
 * included.c, deferred.c and run.c).
 *
 * A handle is the number of a slot and the number of its use. Slots never go back to the system, so any handle may be
 * looked up at any time. The word of the slot tells how this use ended, until the slot is used again. After that it
 * tells only that the use is over.
 *
 * The thread that ends the use, by compare-and-swap of the word, fulfils the event or drops it. The task is complete
 * only after that. So the task still exists for the thread that fulfils.
 *
 * Callers are inside, or have no identity, and nobody waits here. The words are atomic, so any lock may be held. */
#pragma once
#include "base/atomic.h"

struct fg_deferred;

enum fg_detach_end { FG_DETACH_FULFILLED, FG_DETACH_DROPPED };
enum fg_detach_answer {
	FG_DETACH_IS_ENDED, /* by this call */
	FG_DETACH_WAS_FULFILLED,
	FG_DETACH_WAS_DROPPED,
	FG_DETACH_IS_OVER, /* fulfilled or dropped, and its slot is used again */
	FG_DETACH_IS_NONE,
};

/* Makes an event of the task. NULL: the event is dropped already. */
uint64_t fg_detach_new(struct fg_deferred *task);
/* Ends the use of the event if it lasts, and tells whose event it was. */
enum fg_detach_answer fg_detach_end(uint64_t handle, enum fg_detach_end how, struct fg_deferred **task);
