/* Helpers: the members that could run a task now, of flat regions and of nested ones (floor: exec; called by team,
 * which owns the tasks, by the monitor, and through the table of hooks by the loop). Here both kinds of region are
 * asked, so the callers need not tell them apart.
 *
 * Each question takes a worker. The owner asks those that look at the tasks. Such a look is skipped for some turns
 * after a vain one, but never before a sleep. The others read only words, and are hints.
 *
 *     question                 candidates                                   asker       looks at the tasks
 *     fg_help_calls            the docked thread that waits there           owner       yes
 *     fg_help_calls_crew       arrived members of the crew                  owner       yes
 *     fg_help_may_call_crew    the same                                     any thread  no: a hint
 *     fg_rejoin_called         the last thread that left a nested region    owner       yes
 *     fg_rejoin_may_call       the same                                     any thread  no: a hint
 *     fg_helpers_called_here   of fg_help_calls_crew or fg_rejoin_called    owner       yes
 *     fg_helpers_may_call      the same                                     any thread  no: a hint
 *
 * Invariant, as the owner sees it: fg_helpers_called_here => fg_helpers_may_call. So the monitor, which asks only the
 * second question, leaves out no worker for good.
 *
 * All callers but the monitor are inside. They hold no lock of rank PARK or higher, because a look at the tasks may
 * unpark a thread. (The hints may be asked with any lock.) The preemption handler may ask. */
#pragma once
#include "exec/thread/identity.h"

struct fg_births;
struct fg_dock;

/* Wakes a sleeping worker that would run tasks of the region of `births`. The worker `but` is left out: it is the
 * caller's own. False: there was none. */
bool fg_helpers_wake(struct fg_births *births, const struct fg_worker *but);
/* The same for the region of this dock. */
bool fg_helpers_wake_docked(const struct fg_dock *dock, const struct fg_worker *but);

/* The owner asks whether a thread that is suspended on this worker could run a task now. These threads are members of
 * its crew that have arrived, while others of the crew have not or the crew is led. The thread that left last
 * a nested region is another (rejoin.h). The answer may be old when the owner acts on it. */
bool fg_helpers_called_here(struct fg_worker *worker);
/* A hint of the same for any thread, because it does not look at the tasks. */
bool fg_helpers_may_call(const struct fg_worker *worker);
/* Returns the thread to switch to for tasks. NULL: there is none. `self` is the caller if it has nothing else to do,
 * and then may be the result. self == NULL: the caller is about to give way. */
struct fg_identity *fg_helpers_take(struct fg_worker *worker, struct fg_identity *self);
