/* Anchors: the threads that wait for forks on a worker whose home is a member of a root, once there are several roots
 * (floor: exec; called by dock_setup.c and shutdown.c).
 *
 * A root that was alone has homes of workers as members, and each waits for forks on its own kernel thread. Another
 * root may then have this worker. So that the member can run elsewhere, an anchor takes over the wait, for good: a
 * donor that is no member.
 *
 *     worker->waiter != worker->home => the waiter is an anchor, for as long as the worker lives
 *
 * The caller is inside, or in a shutdown, and holds no lock. fg_anchors_drop and fg_anchors_pause leave the runtime for
 * a moment. */
#pragma once
#include "exec/thread/identity.h"

/* Frees the homes among the members of all roots that have no region in flight. The caller owns its root's dock. */
void fg_anchors_drop(struct fg_identity *self, struct fg_root *root);
/* True: members 1 .. size-1, as far as they are there, may run on the root's worker. The caller owns the dock. */
bool fg_anchors_free(const struct fg_root *root, unsigned size);
/* Waits for a moment, outside of the runtime. */
void fg_anchors_pause(struct fg_identity *self);
/* All workers have ended. Returns the anchors in front of the list. */
struct fg_identity *fg_anchors_end(struct fg_identity *list);
