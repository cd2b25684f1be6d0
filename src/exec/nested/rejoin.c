/* Rejoin (floor: exec): see rejoin.h. */
#include "exec/nested/rejoin.h"

#include <limits.h>

#include "exec/ground/above.h"
#include "exec/loop/park.h"
#include "exec/nested/birth.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"

#define LOOK_TURNS 16 /* each look writes the region's word, and reads lines that the makers of tasks write */

void
fg_rejoin_open(struct fg_births *births)
{
	struct fg_rejoin *rejoin = &births->rejoin;
	assert(!fg_rejoin_is_open(rejoin));
	fg_store_release(&rejoin->word, fg_helpers_word_open(rejoin->region));
}

static bool
busy(void *word)
{
	return (fg_load_acquire((struct fg_atomic_u64 *)word) & FG_HELPERS_COUNT) != 0;
}

void
fg_rejoin_close(struct fg_births *births)
{
	struct fg_atomic_u64 *word = &births->rejoin.word;
	assert(fg_lock_order_none("waits with"));
	fg_or_acq_rel(word, FG_HELPERS_CLOSED);
	struct fg_spin spin = FG_SPIN_INIT;
	while (busy(word))
		if (!fg_spin(&spin))
			fg_park(word, busy, word);
}

/* After this the region may be gone. So the caller uses only the address of the word. */
void
fg_rejoin_leave(struct fg_births *births)
{
	struct fg_atomic_u64 *word = &births->rejoin.word;
	assert((fg_load_stable(word) & FG_HELPERS_COUNT) > 0);
	if ((fg_sub_acq_rel(word, 1) & (FG_HELPERS_CLOSED | FG_HELPERS_COUNT)) == (FG_HELPERS_CLOSED | 1))
		fg_unpark(word, UINT_MAX);
}

bool
fg_rejoin_enter(struct fg_births *births, uint64_t region)
{
	struct fg_rejoin *rejoin = &births->rejoin;
	uint64_t word = fg_load_relaxed(&rejoin->word);
	do {
		if (!fg_helpers_word_admits(word, region))
			return false;
	} while (!fg_cas_acq_rel(&rejoin->word, &word, word + 1));
	if (fg_exec_above.help.waiting(births->job))
		return true;
	fg_rejoin_leave(births);
	return false;
}

void
fg_rejoin_note(struct fg_identity *self, struct fg_births *births, unsigned member)
{
	struct fg_past *past = &fg_parts(self->worker)->past;
	assert(fg_worker_is_own(self->worker) && member < births->bubble.size);
	past->identity = self;
	fg_store_relaxed(&past->region, births->rejoin.region);
	past->member = member;
	past->served = self->served;
	past->turns = 0;
	fg_store_relaxed(&past->births, births);
}

bool
fg_rejoin_may_call(const struct fg_worker *worker)
{
	const struct fg_births *births = fg_load_relaxed(&fg_parts(worker)->past.births);
	return births && fg_helpers_word_admits(fg_load_relaxed(&births->rejoin.word),
						fg_load_relaxed(&fg_parts(worker)->past.region));
}

bool
fg_rejoin_is_for(const struct fg_worker *worker, const struct fg_births *births)
{
	return !worker->carries || fg_worker_may_take(worker, births->bubble.origin);
}

bool
fg_rejoin_called(struct fg_worker *worker)
{
	struct fg_past *past = &fg_parts(worker)->past;
	struct fg_births *births = fg_load_relaxed(&past->births);
	if (!births || !fg_rejoin_may_call(worker) || !fg_rejoin_is_for(worker, births))
		return false;
	if (past->turns && !fg_load_relaxed(&worker->asleep)) {
		past->turns--;
		return false;
	}
	past->turns = LOOK_TURNS;
	if (!fg_rejoin_enter(births, fg_load_relaxed(&past->region)))
		return false;
	past->turns = 0;
	fg_rejoin_leave(births);
	return true;
}

/* Takes the donor out of the worker's pool, if it still lies there and has run no other member since. */
static bool
pool_remove(struct fg_worker *worker, const struct fg_past *past)
{
	struct fg_identity **link = &worker->donors.first;
	while (*link && *link != past->identity)
		link = &(*link)->next;
	if (!*link || (*link)->served != past->served)
		return false;
	assert(fg_worker_is_own(worker) && worker->donors.count > 0 && (*link)->kind == FG_DONOR);
	*link = (*link)->next;
	worker->donors.count--;
	return true;
}

/* A suspended parent has dropped its reference, or another thread holds it for the parent. While any reference is left,
 * the parent is not resumed. */
static bool
reference_take(struct fg_births *births)
{
	uint32_t references = fg_load_relaxed(&births->bubble.unfinished);
	do {
		if (references == 0)
			return false;
	} while (!fg_cas_acq_rel(&births->bubble.unfinished, &references, references + 1));
	return true;
}

struct fg_identity *
fg_rejoin_take(struct fg_worker *worker, struct fg_identity *self)
{
	struct fg_past *past = &fg_parts(worker)->past;
	struct fg_births *births = fg_load_relaxed(&past->births);
	if (!births || !fg_rejoin_is_for(worker, births) || !fg_rejoin_enter(births, fg_load_relaxed(&past->region)))
		return NULL;
	struct fg_identity *identity = past->identity;
	fg_store_relaxed(&past->births, NULL);
	if (past->member == 0) {
		if (reference_take(births)) {
			births->rejoin.parent_came = true;
			return identity;
		}
	} else if ((identity == self && self->served == past->served) || pool_remove(worker, past)) {
		identity->assignment =
			(struct fg_assignment){.bubble = &births->bubble, .member = past->member, .rejoins = true};
		return identity;
	}
	fg_rejoin_leave(births);
	return NULL;
}

void
fg_rejoin_run(struct fg_identity *self, struct fg_births *births, unsigned member)
{
	assert(self == fg_self() && (fg_load_stable(&births->rejoin.word) & FG_HELPERS_COUNT) > 0 && member > 0);
	unsigned turns = fg_exec_above.help.come_back(births->job, member);
	fg_rejoin_note(self, births, member);
	fg_parts(self->worker)->past.turns = turns;
	fg_rejoin_leave(births);
}

void
fg_rejoin_assigned(struct fg_identity *self, struct fg_bubble *bubble)
{
	struct fg_births *births = (struct fg_births *)((char *)bubble - offsetof(struct fg_births, bubble));
	fg_rejoin_run(self, births, self->assignment.member);
}

bool
fg_rejoin_ran(struct fg_identity *self, struct fg_births *births)
{
	if (!births->rejoin.parent_came)
		return false;
	assert(self == fg_self() && self == births->parent &&
	       (fg_load_stable(&births->rejoin.word) & FG_HELPERS_COUNT) > 0);
	births->rejoin.parent_came = false;
	fg_exec_above.help.run(self);
	fg_rejoin_leave(births);
	return true;
}
