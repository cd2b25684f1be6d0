/* Exchange: two workers of a flat team exchange their seats while the region is in flight (floor: exec; called by
 * move.c, inside the runtime or on a thread without an identity, which holds no lock but the live tree's,
 * and never in a signal handler).
 *
 * Only members that have begun are in the live tree, so no exchange comes before the fork. move.c asks for a member
 * that is alone on its worker, and never for one that is bound to a place. */
#pragma once

struct fg_runqueue;
struct fg_worker;

/* The worker gets a seat at this level: that of another worker of its team, which gets the worker's. Each of the two
 * sits there from its next barrier, wait or switch on. The root's worker keeps its seat. Returns the other worker, or
 * the worker itself if its seat is there already. NULL: it is in no flat region, or none of the other workers sits
 * there. */
struct fg_worker *fg_exchange_seats(struct fg_worker *worker, const struct fg_runqueue *level);
