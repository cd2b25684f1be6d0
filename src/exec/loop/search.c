/* Search (floor: exec): see search.h.
 *
 * The order is: a root that has claimed the worker (fg_worker_claimed); the docked thread if its wait is over; ready
 * threads that are pinned here; members of the crew that have not begun; the PU's runqueue and those above it; things
 * that the policy finds elsewhere (thief.h); tasks of members that wait here. A turn changes this order. */
#include "exec/loop/search.h"

#include "exec/body/look.h"
#include "exec/ground/hooks.h"
#include "exec/loop/crew.h"
#include "exec/loop/inbox.h"
#include "exec/loop/work.h"
#include "exec/thread/wake.h"
#include "exec/thread/worker_parts.h"
#include "forest/fetch.h"
#include "sched/decision.h"
#include "sched/policy.h"

static struct fg_identity *
identity_of(struct fg_entity *thread)
{
	return (struct fg_identity *)((char *)thread - offsetof(struct fg_identity, entity));
}

/* Returns the identity of a ready thread that was found on a runqueue. From now on its level is that runqueue, or its
 * PU alone: fg_worker_level_for tells. */
static struct fg_identity *
claimed_thread(struct fg_worker *worker, const struct fg_claim *claim)
{
	assert(fg_worker_is_own(worker) && fg_claim_valid(claim) && !identity_of(claim->thread)->pinned);
	fg_store_relaxed(&claim->thread->level, fg_worker_level_for(worker, claim->queue));
	return identity_of(claim->thread);
}

/* At the end of a phase, a PU that is done steals from one that is not. If each theft moved the thread for good, even
 * teams would lose their even distribution. So the thread goes back once to the PU that it was stolen from, if it ran
 * there before. If it is stolen there again, it moves. */
static struct fg_identity *
stolen_thread(struct fg_worker *worker, const struct fg_claim *claim)
{
	struct fg_runqueue *queue = claim->queue;
	struct fg_identity *thread = identity_of(claim->thread);
	if (!queue || queue->n_pus != 1 || queue == fg_worker_leaf(worker) || queue != fg_worker_leaf(thread->worker) ||
	    queue == fg_load_relaxed(&claim->thread->level))
		return claimed_thread(worker, claim);
	fg_store_relaxed(&claim->thread->level, queue);
	return thread;
}

/* In one search, a policy may say this often that it has moved a bubble. After that `default` does its work. */
#define MOVED_MAX 1000

static bool
claim_of(struct fg_runqueue *queue, struct fg_runqueue *cache, struct fg_claim *claim)
{
	if (!fg_runqueue_has_work(queue))
		return false;
	return fg_fetch_suits(queue, cache) ? fg_fetch(queue, cache, claim)
					    : fg_runqueue_claim(queue, FG_NEWEST, false, claim);
}

static bool
claim_here(struct fg_worker *worker, struct fg_claim *claim)
{
	struct fg_runqueue *leaf = fg_worker_leaf(worker), *cache = leaf->domain;
	unsigned moved = 0;
	for (struct fg_runqueue *queue = leaf, *above; queue; queue = above) {
		above = fg_runqueue_parent(queue);
		if (fg_policy_met(queue, leaf, claim)) {
			if (++moved == MOVED_MAX)
				fg_policy_met_in_vain(queue, moved);
			above = leaf;
			continue;
		}
		if (claim_of(queue, cache, claim)) {
			/* One wake-up may have served two: the thread that made the rest ready may have found this
			 * worker still asleep. */
			if (fg_load_relaxed(&fg_idle.sleepers) != 0 && fg_runqueue_has_work(queue))
				fg_wake_any(queue, claim->only);
			return true;
		}
	}
	return false;
}

bool
fg_search_unborn(struct fg_worker *worker)
{
	if (fg_load_relaxed(&worker->crew.waiting) != 0)
		return true;
	for (struct fg_runqueue *queue = fg_worker_leaf(worker); queue; queue = fg_runqueue_parent(queue))
		if (fg_load_relaxed(&queue->holder.n_unborn) != 0)
			return true;
	return false;
}

static bool
claim_unborn_of(struct fg_runqueue *queue, enum fg_runqueue_end end, struct fg_claim *claim)
{
	return fg_load_relaxed(&queue->holder.n_unborn) != 0 && fg_runqueue_claim(queue, end, true, claim);
}

/* Claims an unborn member, also of a bubble that lies higher up: a thread of this PU may be waiting for the member. */
static bool
claim_unborn(struct fg_worker *worker, enum fg_runqueue_end end, struct fg_claim *claim)
{
	for (struct fg_runqueue *queue = fg_worker_leaf(worker); queue; queue = fg_runqueue_parent(queue))
		if (claim_unborn_of(queue, end, claim))
			return true;
	return false;
}

/* The oldest, from the machine's runqueue down. */
static bool
claim_unborn_down(struct fg_runqueue *queue, struct fg_claim *claim)
{
	return queue &&
	       (claim_unborn_down(fg_runqueue_parent(queue), claim) || claim_unborn_of(queue, FG_OLDEST, claim));
}

static bool
claim_from_above(struct fg_runqueue *queue, struct fg_claim *claim)
{
	return queue && (claim_from_above(fg_runqueue_parent(queue), claim) ||
			 fg_runqueue_claim(queue, FG_NEWEST, false, claim));
}

bool
fg_search_docked_is_ready(struct fg_worker *worker)
{
	return worker->wait.docked && worker->wait.ready(worker);
}

struct fg_identity *
fg_search_docked(struct fg_worker *worker)
{
	struct fg_identity *docked = worker->wait.docked;
	assert(fg_worker_is_own(worker) && docked->worker == worker);
	worker->wait.docked = NULL;
	return docked;
}

static bool
claim_queue(struct fg_worker *worker, struct fg_turn turn, struct fg_claim *claim)
{
	return (turn.above && claim_from_above(fg_worker_leaf(worker), claim)) || claim_here(worker, claim);
}

static struct fg_identity *
next_here(struct fg_worker *worker, struct fg_turn turn, struct fg_claim *claim)
{
	struct fg_identity *next = NULL;
	if (!turn.docked_last && fg_search_docked_is_ready(worker))
		return fg_search_docked(worker);
	if (turn.unborn && (next = fg_crew_take(&worker->crew)))
		return next;
	if ((turn.down && claim_unborn_down(fg_worker_leaf(worker), claim)) ||
	    (turn.unborn && claim_unborn(worker, turn.oldest ? FG_OLDEST : FG_NEWEST, claim)) ||
	    (turn.queue && claim_queue(worker, turn, claim)))
		return claim->thread ? claimed_thread(worker, claim) : NULL;
	if (turn.early && (next = fg_exec_hooks.take(worker, turn.looks)))
		return next;
	if ((next = fg_inbox_take(&worker->pinned)) || (next = fg_crew_take(&worker->crew)))
		return next;
	if (claim_queue(worker, turn, claim))
		return claim->thread ? claimed_thread(worker, claim) : NULL;
	if (turn.docked_last && fg_search_docked_is_ready(worker))
		return fg_search_docked(worker);
	return turn.called ? fg_exec_hooks.take(worker, turn.looks) : NULL;
}

bool
fg_search(struct fg_worker *worker, struct fg_turn turn, bool donor, struct fg_found *found)
{
	assert(fg_worker_is_own(worker) && worker->carries);
	*found = (struct fg_found){.claim = {.only = fg_worker_only(worker), .threads_only = !donor}};
	if (__builtin_expect(fg_load_relaxed(&worker->spare) != NULL, 0) && (found->thread = fg_worker_claimed(worker)))
		return true;
	found->thread = next_here(worker, turn, &found->claim);
	if (found->thread)
		fg_worker_bind(worker, found->thread);
	return found->thread || found->claim.bubble;
}

static void
steal_note(struct fg_worker *worker, const struct fg_claim *claim)
{
	assert(claim->thread || claim->bubble);
	fg_parts(worker)->statistics.steals++;
	if (__builtin_expect(!fg_recording.any, 1))
		return;
	const struct fg_identity *thread = claim->thread ? identity_of(claim->thread) : NULL;
	fg_sums_stolen(thread ? thread->thread.sums : claim->bubble->sums);
	if (!fg_recording.trace)
		return;
	fg_decision_stole(thread ? thread->thread.bubble : claim->bubble->number,
			  thread ? thread->thread.num : claim->member, fg_worker_leaf(worker));
}

void
fg_found_note(struct fg_worker *worker, struct fg_found *found)
{
	steal_note(worker, &found->claim);
	if (!found->claim.thread)
		return;
	found->thread = stolen_thread(worker, &found->claim);
	fg_worker_bind(worker, found->thread);
}

struct fg_assignment
fg_found_assignment(struct fg_worker *worker, const struct fg_found *found)
{
	const struct fg_claim *claim = &found->claim;
	struct fg_runqueue *leaf = fg_worker_leaf(worker);
	assert(fg_worker_is_own(worker) && fg_claim_valid(claim) && !claim->thread);
	if (!claim->bubble)
		return (struct fg_assignment){0};
	if (claim->freed)
		claim->freed->entity.last_pu = (uint16_t)leaf->first_pu;
	return (struct fg_assignment){.bubble = claim->bubble,
				      .member = claim->member,
				      .range = claim->freed ? fg_load_relaxed(&claim->freed->entity.range) : NULL,
				      .level = fg_worker_level_for(worker, claim->queue)};
}
