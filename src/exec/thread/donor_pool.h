/* Donor pools: where free donors are (floor: exec; called where a donor is needed, and where one has nothing left to
 * do). */
#pragma once
#include "exec/thread/worker_state.h"

/* The pools of free donors: one per worker (owner only), one common. put() is also the callback of a switch away from a
 * donor that has nothing left to do. */
struct fg_identity *fg_identity_get(struct fg_worker *worker);
void fg_identity_put(void *identity);
/* The worker's pthread ends: others may have its free donors. Nothing runs on the worker any more. */
void fg_identity_return(struct fg_worker *worker);
/* For the preemption handler, which may not make one: moves a free donor from the common pool to the worker's; false:
 * there is none. */
bool fg_identity_restock(struct fg_worker *worker);
/* Free donors in the common pool, `most` at most. */
unsigned fg_identity_stocked(unsigned most);
/* In the child of a fork, as the functions of this name elsewhere. */
void fg_identity_after_fork(void);
/* All donors of the common pool, as a list. */
struct fg_identity *fg_identity_common_take_all(void);
/* One of them, or a list for it. */
struct fg_identity *fg_identity_common_take(void);
void fg_identity_common_add(struct fg_identity *first);
