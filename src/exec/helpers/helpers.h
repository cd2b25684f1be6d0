/* Helpers: the members that could run a task now, of flat regions and of nested ones (floor: exec; called by team,
 * whose tasks they are, by the monitor, and through the table of hooks by the loop; the only file that knows of both
 * kinds). */
#pragma once
#include "exec/thread/worker.h"

struct fg_births;

/* Wakes a sleeping worker of the docked region (NULL), or of that of `births`, that would run tasks, if there is one,
 * not `but`. */
bool fg_helpers_wake(struct fg_births *births, const struct fg_worker *but);

/* Tasks of those who wait suspended on an idle worker: members of its crew that have arrived before others of it, and
 * who has turned away from a nested region (rejoin.h). They may be called for; a hint: */
bool fg_helpers_called_here(struct fg_worker *worker);
/* The same, seen from outside. Anybody. */
bool fg_helpers_may_call(const struct fg_worker *worker);
/* Whom to switch to; NULL: nobody. It may be `self`, the caller, if that has nothing else to do; NULL: it is going to
 * give way. */
struct fg_identity *fg_helpers_take(struct fg_worker *worker, struct fg_identity *self);
