/* Mover: moves pages in the background (floor: team; called by manager.c and boot/process_fork.c). A thread of its own
 * does one move after the other, with all signals blocked, and ends when there is none left.
 *
 * Callers are outside, without a lock. On the simulated machine there is no such thread, and a move is carried out
 * at once. */
#pragma once
#include "memory/plan.h"

/* The mover frees the plan. */
void fg_mover_add(struct fg_plan *plan);
/* Moves of these pages are over, or are not made. */
void fg_mover_forget(const void *start, size_t bytes);
/* Waits until all moves are over. */
void fg_mover_wait(void);
/* In the child of a fork: there are none. */
void fg_mover_after_fork(void);
