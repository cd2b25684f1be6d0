/* State of an inbox: the ready threads that are pinned to a worker (floor: exec; part of fg_worker). loop/inbox.h has
 * the rules. */
#pragma once
#include "base/atomic.h"
#include "base/spinlock.h"

struct fg_identity;

/* Oldest first. All threads may write it under the lock. The count is also read without the lock. */
struct fg_inbox {
	struct fg_atomic_u32 count;
	struct fg_spinlock lock;
	struct fg_identity *first, **tail;
};
