/* Owners of the program's locks (floor: team; called by omp/lock.c, and by lock.c and stuck/reason.c through pointers
 * that boot/stuck.c gives them). Debug builds keep them: omp/lock.c calls within assert or under NDEBUG, so that no
 * call is left elsewhere. FGOMP_STUCK keeps them, too.
 *
 * Only a lock's owner may free it: the task that set it (OpenMP 5.2, 18.9). One line tells a fault. Then the call
 * does the same as without these checks, or nothing where that would spoil the lock. All return true, except as
 * noted. */
#pragma once
#include "team/lock/lock.h"

FG_ANYWHERE bool fg_lock_owner_took(struct fg_lock *lock);    /* the caller has the lock */
FG_ANYWHERE bool fg_lock_owner_gives(struct fg_lock *lock);   /* the caller is about to free the lock */
FG_ANYWHERE bool fg_lock_owner_forgets(struct fg_lock *lock); /* the lock is made, or is no more */
/* False: the caller must not free it. */
FG_ANYWHERE bool fg_nest_lock_owner_gives(struct fg_nest_lock *lock);

/* For fg_lock_note: lock.c calls it inside, after the caller has taken the lock, and before it frees it. Only a pthread
 * that the runtime has not met frees it first. */
void fg_lock_owner_note(struct fg_lock *lock, bool taken);
/* The task that has the lock, as in fg_lock_owner_task, or 0: not known. Any thread may call; the result is a hint. */
uint64_t fg_lock_owner_of(const struct fg_lock *lock);
