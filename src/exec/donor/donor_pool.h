/* Donor pools: the places of free donors (floor: exec; called by loop.c, chores.c, birth.c, donor.c, spare.c,
 * spawner.c, workers.c, root.c, shutdown.c and process_fork.c). The owner of the worker calls the functions of its pool
 * inside the runtime, or a thread that holds the owner does. It may be in the preemption handler, and at a restock a
 * bucket of the parking lot may be locked.
 *
 *     donors.count of a worker == the length of its list
 *
 * donor_pool.c has the rest. No function here makes a donor, allocates or waits. */
#pragma once
#include "exec/thread/identity.h"

#define FG_STOCK_MIN 2 /* the spawner fills the common pool up to so many; it may have fewer for a while */

/* There is one pool for each worker, and a common one. rejoin.c takes a donor out of the middle of its own worker's
 * list. Threads that are inside call the functions of the common pool. So do the shutdown, and the spawner, which has
 * no identity. put() is also the callback of a switch away from a donor that has nothing left to do. */
struct fg_identity *fg_donor_pool_get(struct fg_worker *worker);
void fg_donor_pool_put(void *identity);
/* The worker's pthread ends, or a shutdown has ended all workers. The worker carries nothing any more. So its free
 * donors go to the common pool. */
void fg_donor_pool_return(struct fg_worker *worker);
/* The worker is about to sleep, or its thread of the program is held outside of regions. All free donors but these go
 * to the common pool. */
#define FG_DONORS_AT_REST 2
void fg_donor_pool_rest(struct fg_worker *worker);
/* The worker's pool is empty: moves free donors there from the common pool. Makes none, so the preemption handler may
 * call it. False: there are none. */
bool fg_donor_pool_restock(struct fg_worker *worker);
/* The number of free donors of the worker, which only its owner asks for. */
unsigned fg_donor_pool_count(const struct fg_worker *worker);
/* The number of free donors in the common pool. */
unsigned fg_donor_pool_stocked(void);
/* For the child of a fork, like the functions of this name elsewhere. */
void fg_donor_pool_after_fork(void);
/* Takes all donors of the common pool, as a list. */
struct fg_identity *fg_donor_pool_common_take_all(void);
/* Takes the oldest donors of the common pool, as a list: so many as none has used since the last call, less `kept`.
 * *more: there may be some at the next call. Otherwise fg_spawner_ask tells when there may be. */
struct fg_identity *fg_donor_pool_common_unused(unsigned kept, bool *more);
/* Gives a list of donors to the common pool. */
void fg_donor_pool_common_add(struct fg_identity *first);
