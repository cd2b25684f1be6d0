/* Rob: what an idle PU may take from others, and when (floor: sched; the function `idle` of default, affinity,
 * cache and memory). No lock is held, and the thread is in no handler.
 *
 * The machine has several domains (home.h).
 * - In its domain a PU takes at once what belongs to teams that are at home there, a bubble before a thread. Of the
 *   bubbles as near as each other it takes that of the team with the most work left, of the threads the oldest. Members
 *   that were dealt to another PU are that PU's for 3 us, and for 50 us where the home is wider than a domain.
 * - It takes members of teams that are 2 us old from other domains: those of lone teams while it is not known what that
 *   costs, and those of any team where it pays (theft.h). Again the team with the most work left goes first. Where it
 *   is cheap, threads that have begun come, too, and such teams are at home everywhere.
 * - After 50 us it takes threads of teams whose home spans several domains and has this PU.
 * - After 50 us a whole team comes from another domain, if that has at least two more teams than this one: its unborn
 *   members, its ready threads, and those that run or wait. A whole subtree comes if there is room (subtree.h).
 * - After 20 us it may take one member to learn what that costs, once idle PUs have wished for one often enough
 *   (theft.h).
 * - A PU may be the only one where a thread goes on that waits for the members of its region. That thread would wait
 *   for a member from afar, too, and its team with it. So for 50 us the PU tries none, and takes none of known cost.
 * - After 0.5 ms it takes whatever has lain somewhere for 0.2 ms: the PUs there all compute, or no worker is left. If a
 *   grain takes longer than that away from home, the thief waits for as long, but for 2 ms at most. Of unborn members
 *   one goes at a time while the cost is not known.
 *
 * A look outside reads one other domain, and one PU of a domain makes it in 2 us. So what a look costs does not grow
 * with the machine, and the PUs of a domain do not all come for one thread. Looks for teams are rarer. */
#pragma once
#include "forestgomp/sched.h"

/* The part of the machine that the policy looks after has several domains, and most of its PUs have workers. */
bool fg_rob_may(const void *self, struct fg_runqueue *leaf);
/* `by_load`: the heaviest entity of a runqueue instead of the oldest. */
bool fg_rob_idle(const void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim, bool by_load);
/* Takes what has lain somewhere for so many nanoseconds, for a PU that has been idle for 0.5 ms. Homes do not
 * matter. */
bool fg_rob_lasting(const void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim, uint64_t lasts);
