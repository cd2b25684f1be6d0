/* Rejoin: a thread that has nothing left to do in a nested region comes back for its tasks (floor: exec; called by
 * birth.c, kernel_team.c, helpers.c and team, and through the table of hooks by the loop). The region may also be one
 * of kernel threads. The tasks belong to the floor `team`.
 *
 * A donor that has run members keeps the thread-local storage of the last of them until it runs another member. So it
 * may go on as that member, and only it may. Each worker notes in `past` the thread that left a region on
 * it last. This thread is such a donor, or the region's encountering thread, suspended in its join. When the worker is
 * idle, or its running thread gives way, the noted thread looks for tasks.
 *
 * By then the region may be over, and its team may be in use for another region. Teams are never freed, so their words
 * can be read. One word tells all:
 *
 *     word = number of the region << 16 | closed << 15 | number of helpers    (helpers_word.h)
 *
 * A thread may raise the number of helpers only while the word names the noted region and is not closed. The
 * encountering thread closes the word when all is done, and goes on when the number is 0. So a registered thread may
 * look at the region's team. A thread registers for a look as well. It stays registered no longer than the look or the
 * tasks last.
 *
 * All callers but the monitor are inside the runtime, perhaps in the preemption handler. They hold no lock of rank PARK
 * or higher: a look may unpark a thread. Only the owner of the worker calls fg_rejoin_take. It also calls
 * fg_rejoin_called, and so does the monitor while it holds the owner. Any thread may call fg_rejoin_may_call and
 * fg_rejoin_is_for, as hints. fg_rejoin_close waits, so its caller holds no lock at all. */
#pragma once
#include <stdbool.h>

#include "base/atomic.h"
#include "exec/flat/helpers_word.h"

struct fg_births;
struct fg_bubble;
struct fg_identity;
struct fg_worker;

/* The part of the births for threads that come back. */
struct fg_rejoin {
	_Alignas(64) struct fg_atomic_u64 word;
	uint64_t region;  /* number of this region of the births; written by the encountering thread */
	bool parent_came; /* the encountering thread was resumed for tasks: set by its resumer, cleared by itself */
};

/* A region begins. The encountering thread calls this. */
static inline void
fg_rejoin_begin(struct fg_rejoin *rejoin)
{
	rejoin->region++;
}
static inline bool
fg_rejoin_is_open(const struct fg_rejoin *rejoin)
{
	return fg_helpers_word_admits(fg_load_relaxed(&rejoin->word), rejoin->region);
}
/* A member calls this, once. From now on there may be tasks. */
void fg_rejoin_open(struct fg_births *births);
/* The encountering thread calls this after its join, when all tasks are done. Returns when no thread helps any more. */
void fg_rejoin_close(struct fg_births *births);

/* `self` has ended this member and is about to leave the region; the caller holds its reference. For member 0, `self`
 * may be saved in its join already, and a callback on the next thread's stack makes the note. */
void fg_rejoin_note(struct fg_identity *self, struct fg_births *births, unsigned member);
/* The worker may take up members of this region now, if it is the noted region. A spare that has left may have noted
 * one that this kernel thread must not carry. The team may be in use for another region meanwhile. Then the number of
 * the region has changed, and fg_rejoin_enter does not find the noted one. */
bool fg_rejoin_is_for(const struct fg_worker *worker, const struct fg_births *births);
/* The thread that left a nested region last on this worker could be of use now. The result is a hint. */
bool fg_rejoin_called(struct fg_worker *worker);
/* The same, seen from outside: tasks are possible. Any thread may ask. */
bool fg_rejoin_may_call(const struct fg_worker *worker);
/* Returns the thread to switch to for tasks. It is registered and has its assignment. It may be the caller, if that is
 * a free donor. NULL: there is none. */
struct fg_identity *fg_rejoin_take(struct fg_worker *worker, struct fg_identity *self);
/* The caller runs tasks as the member that it was. fg_rejoin_assigned does the same as a donor's order says. */
void fg_rejoin_run(struct fg_identity *self, struct fg_births *births, unsigned member);
void fg_rejoin_assigned(struct fg_identity *self, struct fg_bubble *bubble);
/* The encountering thread asks in its join. True: it was resumed for tasks, and has run them. Then it must join
 * again. */
bool fg_rejoin_ran(struct fg_identity *self, struct fg_births *births);

/* For threads that do nothing else: registers with the noted region if it has tasks. fg_rejoin_leave ends the
 * registration. */
bool fg_rejoin_enter(struct fg_births *births, uint64_t region);
void fg_rejoin_leave(struct fg_births *births);
