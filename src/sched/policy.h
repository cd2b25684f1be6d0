/* Policy: a bubble scheduler at work (floor: sched; called by exec and team). It is an instance of a table
 * (include/forestgomp/sched.h) that looks after a level of the machine and all below.
 *
 * A table is pure: it sees entities, runqueues and levels, never the operating system, a kernel thread or another
 * floor's lock.
 *
 * Unless a file of sched says more, its caller is the thread on which a function of a policy runs (docs/design.md, "Who
 * calls"). Here is where these functions are called: inside, or on a thread without an identity, the monitor's or a
 * daemon's. No lock is held, and the thread is in no handler, with these exceptions. A search calls `met`, and then
 * `handed`, perhaps in the preemption handler or under a bucket of the parking lot. `met` has the lock of the runqueue,
 * too. `blocked` may be called under such a bucket, `expired` is called under the lock of the live tree, and `woken` as
 * exec/loop/ready.h says. `start`, `stop`, `measures` and `counters` run in a constructor (registry.c), and `start` and
 * `stop` of a layer where a policy starts it (layer_start.c). `redistributes` only reads, anywhere. */
#pragma once
#include "sched/in_force.h"

unsigned fg_sched_wants(const struct fgomp_sched *sched);
static inline bool
fg_policy_steals(void)
{
	return fg_policies.wants & FG_WANTS_IDLE;
}

extern const struct fgomp_sched fg_sched_default, fg_sched_spread, fg_sched_compact, fg_sched_steal, fg_sched_random,
	fg_sched_global, fg_sched_affinity, fg_sched_cache, fg_sched_memory;
/* With this policy teams have homes where the machine has several domains (home.h). */
static inline bool
fg_sched_has_homes(const struct fgomp_sched *sched)
{
	return sched == &fg_sched_default || sched == &fg_sched_affinity || sched == &fg_sched_cache ||
	       sched == &fg_sched_memory;
}
/* The table at work: `default` where the policy has failed. */
static inline const struct fgomp_sched *
fg_policy_sched(const struct fg_policy *policy)
{
	return __builtin_expect(fg_load_relaxed(&policy->failed), 0) ? &fg_sched_default : policy->sched;
}
/* Called at the end of each function of the policy that may put something. What is left in the hand goes to the queue
 * (false: something was), and layers get what was put on their parts. The caller may hold a bucket of the parking lot,
 * because a thread that parks searches; it holds no other lock. */
bool fg_policy_finish(struct fg_policy *policy, struct fg_runqueue *queue);

/* The built-in table of that name, or NULL. */
const struct fgomp_sched *fg_sched_find(const char *name);
/* The i-th, or NULL. */
const struct fgomp_sched *fg_sched_built_in(unsigned i);

/* Makes an instance of the table. `options` is "NAME=VALUE,..." or NULL. false: *why says what was wrong, and the
 * policy is as before. */
bool fg_policy_start(struct fg_policy *policy, const struct fgomp_sched *sched, const char *options, const char **why);
void fg_policy_stop(struct fg_policy *policy);

/* Where a new bubble goes; NULL: the policy has put it somewhere. */
struct fg_runqueue *fg_policy_born(struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf);

/* Where a ready thread goes: to `home`, where it was, unless the policy of the waker's PU says otherwise. */
struct fg_runqueue *fg_policy_woken(struct fg_entity *thread, struct fg_runqueue *home, struct fg_runqueue *near);

/* Tells the policy that the PU has met the newest bubble on a runqueue above the leaf, if the claim allows that bubble.
 * true: look again. */
bool fg_policy_met_slow(struct fg_runqueue *queue, struct fg_runqueue *leaf, const struct fg_claim *claim);
static inline bool
fg_policy_met(struct fg_runqueue *queue, struct fg_runqueue *leaf, const struct fg_claim *claim)
{
	return __builtin_expect(fg_policies.wants & FG_WANTS_MET, 0) && fg_policy_met_slow(queue, leaf, claim);
}
/* The policy has answered "look again" this often in one search: `default` does its work from now on. */
void fg_policy_met_in_vain(struct fg_runqueue *queue, unsigned times);
void fg_policy_blocked(struct fg_entity *thread, struct fg_runqueue *leaf);
void fg_policy_ended(struct fg_bubble *bubble, struct fg_runqueue *leaf);
/* bubble NULL: the thread is of a flat team, of which no policy is told here. */
void fg_policy_slice(struct fg_bubble *bubble, struct fg_runqueue *leaf);
/* Tells the innermost policy that has the function. */
void fg_policy_changed(enum fgomp_change change, struct fg_runqueue *level);
void fg_policy_machine_changed(struct fg_runqueue *leaf);
/* Tells a PU's events a second to each policy with a lower threshold. */
void fg_policy_counted(double events, struct fg_runqueue *leaf);

/* Asks the policies that look after the level, unless it is too early (redistribute.c). The caller holds no lock. */
void fg_policy_redistribute(enum fgomp_occasion why, struct fg_runqueue *level);
/* Asks those whose period is over. One thread at a time calls it. */
void fg_policy_redistribute_periods(uint64_t now, struct fg_runqueue *top);
/* When the next period is over; UINT64_MAX: no policy has one. */
uint64_t fg_policy_redistribute_due(void);
void fg_policy_redistribute_after_fork(void);

/* A policy has put this runqueue aside. All such runqueues are chained by aside_next. */
bool fg_policy_is_aside(const struct fg_runqueue *queue);
struct fg_runqueue *fg_policy_aside_first(void);
void fg_policy_aside_after_fork(void);

/* Looks for work for an idle PU, of origin claim->only if that is set. It asks the policy of the PU's own level, then
 * those of the levels above. */
bool fg_policy_idle(struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim);
/* Gives each member of an outermost team a runqueue of the tree, in which nothing else lies:
 * bubble->members[k].entity.holder, and .range. false: out of memory, or the policy has lost an entity; no placement is
 * known then. */
bool fg_policy_place(struct fg_bubble *team, struct fg_runqueue *top);

/* The hand: entities that the running function of a policy has taken (hand.c). put: false: the entity was not in the
 * hand; the user is told at the end. */
void fg_policy_hand_take(struct fg_entity *entity);
bool fg_policy_hand_put(struct fg_entity *entity);
bool fg_policy_hand_has(const struct fg_entity *entity);
void fg_policy_hand_burst(struct fg_bubble *bubble, struct fg_entity *const *free, unsigned n);
/* Called at the end of each function that may hold something. Entities left in the hand go to the runqueue. false:
 * there were some, and the user was told once. */
bool fg_policy_hand_empty(struct fg_policy *policy, struct fg_runqueue *queue);
