/* Donors: making them and ending them (floor: exec; called where one is missing, by the spawner, and by shutdown.c). */
#pragma once
#include "exec/thread/identity.h"

/* A new donor with a stack of the configured size, its context made to start entry(); NULL if the system gives no more.
 * Calls pthread_create and so may wait for locks of the C library: never with a lock of the runtime held. */
struct fg_identity *fg_identity_donor(void (*entry)(void));
/* Sees to it that the caller's worker has a free donor. The caller may be preempted meanwhile; false: the system gives
 * no more now. */
bool fg_identity_reserve(struct fg_identity *self);
/* So many donors may be there for members of a new nested region, up to `wanted`: fewer only where the system has just
 * refused some. */
extern struct fg_atomic_u64 fg_identity_refused_until;
unsigned fg_identity_expect_slow(struct fg_identity *self, unsigned wanted);
/* For the spawner: sees to it that the common pool has so many free donors for the handler, at most FG_STOCK_MAX;
 * false: the system gives no more. */
#define FG_STOCK_MAX 64
bool fg_identity_stock(unsigned wanted);
/* Ends the pthreads of all donors of the list, and gives their memory back: what they ran is over, nothing leads to
 * them any more. */
void fg_identity_end(struct fg_identity *list);
