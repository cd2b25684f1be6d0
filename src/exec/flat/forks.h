/* Forks: how a docked worker waits for the next fork (floor: exec; called by dock.c and crews.c). post.h has the rule
 * by which a worker sees that it takes part. summary.h tells of the groups of a large team.
 *
 * Copies. In a team with groups the line of the fork would go from one home to each worker. So each of the smallest
 * groups has a *copy* of it, and only the workers of this group read that. A copy is a short cut. The truth is the line
 * of the dock, as in a small team. The primary thread
 *
 *     fills the copies; stores the epoch of the dock (release); stores the epochs of the copies (release)
 *
 * A worker has made its crew for a layout with the number L (seating.h) and took part in the region r last. It takes
 * part in the fork of a copy if the epoch of the copy (acquire) is later than r, and the copy's layout has the number
 * L. Proof: these numbers rise with the root's forks, and none comes back. Let the epoch be that of the fork F, and let
 * the layout come from F or a later fork G. If it comes from G then F has the number L too: the worker has met L
 * before F. So F has the number L, and the worker has a slot in it. Its region cannot end without the worker, so there
 * is no G, and no mover has taken the worker's post. The copies are filled before any epoch of F. So all of a copy is
 * there for a worker that has seen F, whether in the copy or in the dock.
 *
 * No wait depends on a copy. At each SUMMARY_TURNS-th look a worker looks at the dock itself, and so it does where many
 * looks may never come (summary.h). The copies are there for a new layout, too: with its first fork the primary thread
 * stores the copies of the last layout as well. A worker that finds one with another layout looks at the dock.
 *
 * Wake-ups go along the tree, too. The first worker of a group, by slot, wakes the others. Where a part of its group
 * is a smaller group, it wakes the first worker there. This is a short cut again. The primary thread begins with the
 * groups of which it is the first. Then it wakes each worker that still sleeps, as in a small team. So no wake-up
 * depends on another worker.
 *
 * The caller is a docked thread of its worker, or the primary thread, inside and without a lock. */
#pragma once
#include "exec/roots/root.h"
#include "exec/thread/worker.h"

/* Waits for the next fork that the worker takes part in, and returns its line. The caller has looked briefly. `helps`:
 * meanwhile it helps those members of the region that still have something to do. */
const struct fg_fork *fg_forks_wait(struct fg_identity *self, bool helps);
/* As fg_forks_wait, from the first look on, for a worker whose crew is grouped. */
const struct fg_fork *fg_forks_wait_copy(struct fg_identity *self);
/* The primary thread has filled the line of its dock but for the epoch. It stores that there and in the copies, and
 * wakes the workers. */
void fg_forks_tell_copies(struct fg_root *root, uint64_t epoch);
/* The line that the crew of this worker reads. */
struct fg_fork *fg_forks_line(const struct fg_worker *worker, struct fg_root *root);
