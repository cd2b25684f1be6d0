/* Donor pools: the places of free donors (floor: exec; called where a donor is needed, and where one has nothing
 * left to do). */
#pragma once
#include "exec/thread/worker_state.h"

/* There is one pool for each worker, which only its owner touches, and a common one. put() is also the callback of a
 * switch away from a donor that has nothing left to do. */
struct fg_identity *fg_donor_pool_get(struct fg_worker *worker);
void fg_donor_pool_put(void *identity);
/* The worker's pthread ends, and nothing runs on the worker any more. So its free donors go to the common pool. */
void fg_donor_pool_return(struct fg_worker *worker);
/* For the preemption handler, which must not make a donor: moves a free donor from the common pool to the worker's.
 * False: there is none. */
bool fg_donor_pool_restock(struct fg_worker *worker);
/* The number of free donors in the common pool, at most `most`. */
unsigned fg_donor_pool_stocked(unsigned most);
/* For the child of a fork, like the functions of this name elsewhere. */
void fg_donor_pool_after_fork(void);
/* Takes all donors of the common pool, as a list. */
struct fg_identity *fg_donor_pool_common_take_all(void);
/* Takes one donor from the common pool; gives it a list of donors. */
struct fg_identity *fg_donor_pool_common_take(void);
void fg_donor_pool_common_add(struct fg_identity *first);
