/* Hold: another acts for the worker of a thread that computes in the program (floor: exec; called by lend.c, preempt.c
 * and spare.c). */
#pragma once
#include "exec/thread/worker.h"

/* The thread that the worker carries, if it is in the program's code: it waits should it enter the runtime, and all
 * that is the worker's is the caller's until fg_spare_let_go. NULL: it is inside the runtime, or held already. Costs
 * every PU some microseconds. */
struct fg_identity *fg_spare_hold(struct fg_worker *worker);
void fg_spare_let_go(struct fg_identity *thread);
/* For the preemption handler: nobody holds the caller or has taken its worker. */
bool fg_spare_here(struct fg_identity *self);
