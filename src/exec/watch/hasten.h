/* Hasten: a thread must leave its PU soon, because a policy has sent or stopped it (floor: exec; called through the
 * table of hooks by move). */
#pragma once

struct fg_identity;
struct fg_worker;

/* If the worker's thread computes, a tick preempts it soon. Either may be NULL: then nothing happens. The simulated
 * machine has no ticks: sim/work.c does it there. */
void fg_hasten(struct fg_worker *worker, const struct fg_identity *thread);
