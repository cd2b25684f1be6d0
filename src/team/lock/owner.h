/* Who holds the program's locks (floor: team): in debug builds (called by the ABI within assert, so that nothing is left of it elsewhere),
 * and with FGOMP_STUCK.
 *
 * Only a lock's owner may free it: the task that set it (OpenMP 5.2, 18.9). What is wrong is told in one line, and the call does what
 * it does without these checks, or nothing where that would spoil the lock. All return true. */
#pragma once
#include "team/lock/lock.h"

FG_ANYWHERE bool fg_lock_owner_took(struct fg_lock *lock);	  /* the caller has it */
FG_ANYWHERE bool fg_lock_owner_gives(struct fg_lock *lock);	  /* the caller is about to free it */
FG_ANYWHERE bool fg_lock_owner_forgets(struct fg_lock *lock); /* it is made, or is no more */
/* False: the caller may not free it. */
FG_ANYWHERE bool fg_nest_lock_owner_gives(struct fg_nest_lock *lock);

/* For fg_lock_note. */
void fg_lock_owner_note(struct fg_lock *lock, bool taken);
/* The task that has it, as in fg_lock_owner_task; 0: not known. Anybody, as a hint. */
uint32_t fg_lock_owner_of(const struct fg_lock *lock);
