/* Lend: how an idle worker of a flat team gets a member of another's crew (floor: exec; called by dock.c, and through
 * the table of hooks by loop.c). */
#pragma once
#include "exec/loop/ring.h"

/* The caller's worker has nothing to do: asks another of its team for a member, which will come by its inbox. */
void fg_crew_ask(struct fg_worker *idle);
/* Gives whoever asked this worker one of its members that wait for the PU. `staying`: threads that are ready here
 * although no list has them yet. Owner. */
void fg_crew_lend(struct fg_worker *worker, unsigned staying);
/* The caller, which was lent, has arrived: suspends it until its own worker resumes it in the next phase. */
void fg_crew_return(struct fg_identity *self);
/* The caller is the last of its crew to arrive at home: waits until those that were lent have returned. */
void fg_crew_collect(struct fg_identity *self);
