/* Time calls: what the policies in force are told of time: budgets used up, members that begin and end, PUs that
 * idle; and their daemons (floor: sched; called by exec, sim and team). */
#pragma once
#include "sched/in_force.h"

/* A PU with this leaf has been idle for so long: tells the innermost policy that wants to know after that time.
 * fg_policy_idle_after: the time after which any policy wants to know. */
void fg_policy_idles(struct fg_runqueue *leaf, uint64_t idle_for);
uint64_t fg_policy_idle_after(struct fg_runqueue *leaf);
/* The member begins; has run all there is. The caller is inside, on its thread. */
void fg_policy_begun(struct fg_bubble *bubble, unsigned number, struct fg_runqueue *leaf);
void fg_policy_finished(struct fg_bubble *bubble, unsigned number, struct fg_runqueue *leaf);
/* The bubble's budget is used up, and the live tree is locked. true: the budget starts again. */
bool fg_policy_expired(struct fg_bubble *bubble, struct fg_runqueue *top);

/* Calls the daemon of a policy. Only the thread of that daemon does. `top` is the machine. */
void fg_policy_daemon(struct fg_policy *policy, struct fg_runqueue *top);
/* Nanoseconds between two calls of the daemon; before the first. 0: it has no daemon, or not any more. */
uint64_t fg_policy_daemon_period(const struct fg_policy *policy);
uint64_t fg_policy_daemon_first(const struct fg_policy *policy);
/* When the next call is due, after one that began and ended then. */
uint64_t fg_policy_daemon_next(const struct fg_policy *policy, uint64_t began, uint64_t ended);
