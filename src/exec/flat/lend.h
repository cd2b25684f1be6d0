/* Lend: an idle worker of a flat team gets a member of another worker's crew (floor: exec; called by dock.c; through
 * the table of hooks loop.c answers requests, and loop/thief.c asks). lend.c has the protocol. All callers are inside.
 * Only fg_lend_answer may come from the preemption handler, or under a bucket of the parking lot. No member of a crew
 * whose members are bound to places is lent. */
#pragma once
#include "exec/thread/identity.h"

/* The worker `idle`, the caller's own, has nothing to do. It asks another worker of its team for a member, which will
 * come by its inbox. It holds no lock. */
void fg_lend_ask(struct fg_worker *idle);
/* Gives the worker that has asked one of this worker's members that wait for the PU. `staying`: the number of threads
 * that are ready here, but in no list yet. Only the owner calls this, or a thread that holds the owner's thread
 * (hold.h). The owner is inside, perhaps in the preemption handler, perhaps with a bucket of the parking lot locked. It
 * keeps at least one ready thread, and calls this only if it has a free donor or stays ready itself. It
 * changes this worker's crew and inbox, the member, and the inbox of the worker that has asked. It neither allocates
 * nor waits. */
void fg_lend_answer(struct fg_worker *worker, unsigned staying);
/* The caller was lent, and has arrived. Suspends it until its own worker resumes it in the next phase. */
void fg_lend_return(struct fg_identity *self);
/* The caller is the last of its crew to arrive on its own worker. Waits until all lent members have returned. */
void fg_lend_collect(struct fg_identity *self);
