/* Transfer: a member of a flat team goes to the crew of another worker, for good (floor: exec; called by dock.c,
 * crews.c and move.c). transfer.c has the proof. The sender holds the lock of the live tree, so the identity stays. It
 * writes only the words `to` and `parts`; all else of a crew belongs to its worker's thread, which calls the rest
 * inside the runtime, without a lock. Nothing here allocates, locks or waits. */
#pragma once
#include <stdbool.h>

struct fg_identity;
struct fg_root;
struct fg_runqueue;
struct fg_worker;

/* The member joins the crew of a worker of its team that sits at this level, at its next barrier or at the end of its
 * region; with cancellation at the end only (flat/cut.c). If it is the last of its crew to arrive there, it goes one
 * barrier later. Any thread may call this while the region is in flight. false: no worker of its team sits there; or
 * the member is bound, or its worker's own kernel thread belongs to it. */
bool fg_transfer_send(struct fg_identity *member, const struct fg_runqueue *level);
/* All of the caller's crew have arrived, and are saved but for the caller. The crew's phase is not published yet. */
void fg_transfer_part(struct fg_identity *self);
/* The crew's next phase begins with this member. Members that were sent there join it. */
void fg_transfer_join(struct fg_worker *worker, struct fg_identity *first);
/* A new layout has dealt all members anew. The caller is the root, and has not published the fork yet. A worker that
 * did this for itself at the fork could lose a member that another crew has sent meanwhile. */
void fg_transfer_forget(const struct fg_root *root);
