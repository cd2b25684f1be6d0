/* Outside: the PUs that processes use which are not on the board (floor: share; called by grant.c and unit tests).
 *
 * The kernel divides a PU among all threads that want it, some milliseconds at a time. A member that waits for another
 * one loses whole turns where the other has no PU. So a program whose members wait often leaves PUs to processes that
 * it cannot ask. One whose members wait seldom loses by that, because the kernel gives it less. So load from outside
 * counts where a worker that waits often has found its PU shared of late (loop/chores.c), and a trial (trial.h) has
 * shown that the program gets on faster.
 *
 * While the answer of the last trial is that all PUs are better, nothing is measured. Otherwise the monitor would be
 * awake nearly all the time, and each time that it wakes, a member or the other process loses the rest of its turn.
 *
 * The load is the busy time of the PUs (machine/load.h), less that of this program and of those that were active on the
 * board a moment ago. The monitor alone measures it, because files are read. Other threads read one word. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "machine/cpuset.h"
#include "share/board.h"

/* A worker that waits often has found its PU shared. Any thread may say so anywhere. True: the monitor must look. */
bool fg_outside_found(uint64_t now);
/* A look measures something. */
bool fg_outside_is_on(uint64_t now);
/* Measures, if it is time to. The monitor alone calls it, where it is on. `own`: this process. steps: barriers that
 * its workers have passed, and the like. */
void fg_outside_look(struct fg_board *board, uint64_t now, int own, const struct fg_cpuset *mask, uint64_t steps);
/* The CPU time in seconds that the active programs of the board, but for this one, have used since the last call.
 * *left: one of them has left, so what it used is not known. For the monitor and unit tests. */
double fg_outside_used(struct fg_board *board, uint64_t now, int own, const struct fg_cpuset *mask, bool *left);
/* The PUs that count by the last look, in thousandths. Any thread may ask anywhere. */
unsigned fg_outside_counts(uint64_t now);
void fg_outside_after_fork(void);
