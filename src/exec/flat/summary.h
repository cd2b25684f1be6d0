/* Summary: how the workers of a team with groups learn that all have arrived (floor: exec; called by dock.c,
 * forks.c and crews.c). groups.h has the groups.
 *
 * The truth stands on the workers' own lines (dock.c): worker w has completed phase p if its line >= p. Each group has
 * two such lines, too. There its first worker, by slot, stores the last phase that all of the group have completed.
 * This is a *summary*: a short cut. A worker at a barrier reads the lines of the workers beside it in its own group.
 * Then it reads the summaries of the groups beside that group, and so on up to the machine. So each worker reads a few
 * lines on each level, and no way leads down again.
 *
 * Summaries tell the truth. The first worker stores p (release) after it has seen each part of the group at p
 * (acquire), and no phase is used twice. The lines of a root's groups have phases of this root only, which rise from
 * layout to layout. So if a reader that waits for p finds a line >= p, the first worker of this group has stored it in
 * this layout.
 *
 * No wait depends on a summary. A worker that waits for one reads the lines of the group's workers themselves at each
 * SUMMARY_TURNS-th look. It does so at each look where many looks may never come: where it is about to sleep, has
 * switched since the last look, or shares its kernel thread. So each wait ends as in a small team, by the store of the
 * worker that is waited for, and that worker wakes sleepers. It does not matter whether the group's first worker
 * sleeps, rides, is late, or never stores the summary. Only the time changes.
 *
 * End of a region. Each worker stores its own line at once, as in a small team, and waits for the next fork. Meanwhile
 * the first worker of a group *gathers*: it looks for the lines of its group, and stores the summary. The region may
 * end before, if the primary thread looks at the workers' lines. Then the groups may be made anew. So the worker
 * gathers by steps of its own, which name only lines of workers and groups: these lines are never freed. It may store a
 * summary of an old layout late, over a newer one. Then the line tells less than is true, and never more.
 *
 * The owner of the worker calls, inside and without a lock. But fg_summary_crossed, fg_summary_gather and
 * fg_summary_looks_farther are parts of waits' conditions: dock_line.h tells where these are asked. It writes its own
 * `steps`, and the summaries of the groups of which it is the first. */
#pragma once
#include "exec/thread/identity.h"

struct fg_groups;

/* The caller has stored the line of its phase, or is the primary thread in its join, where others need no summary of
 * its groups. Returns when all have completed the phase. */
void fg_summary_wait(struct fg_identity *self, uint64_t phase, bool joins);
/* The same wait at a barrier, for a caller that waits by other conditions, too: it begins here, and is over when the
 * second function says so. It may be broken off. Then the worker's groups have no summary of this phase from it. */
void fg_summary_begin(struct fg_worker *worker, uint64_t phase);
bool fg_summary_crossed(struct fg_worker *worker);
/* The crew of the caller's worker has a new layout, in which no other thread changes the groups. Without memory the
 * worker reads all lines, and stores no summary. */
void fg_summary_steps(struct fg_worker *worker, const struct fg_groups *groups);
/* The worker has stored the line of the last phase of a region. It gathers if it is the first of a group. */
void fg_summary_begin_gather(struct fg_worker *worker);
/* One look. The worker may be left out of forks meanwhile. */
void fg_summary_gather(struct fg_worker *worker);
/* In a wait that goes by short cuts: the worker may make few looks from here on, or has made enough. So it must look at
 * the truth now. */
bool fg_summary_looks_farther(struct fg_worker *worker);
