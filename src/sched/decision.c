/* Decision (floor: sched): see decision.h. A function of a policy runs to its end on one identity, so all of this is
 * thread-local. */
#include "sched/decision.h"

#include "sched/policy.h"
#include "trace/texts.h"

static __thread struct {
	const struct fgomp_sched *sched; /* NULL: no policy has decided anything on this thread */
	enum fg_decider decider;
	const char *reason;
	uint32_t claimed, claimed_from; /* the last claim's decision, and where the entity lay */
} now;

void
fg_decision_begin_slow(const struct fgomp_sched *sched, enum fg_decider decider)
{
	now.sched = sched;
	now.decider = decider;
	now.reason = NULL;
	now.claimed = now.claimed_from = 0;
}

__attribute__((visibility("default"))) void
fgomp_sched_reason(const char *text)
{
	if (__builtin_expect(fg_recording.trace, 0))
		now.reason = text;
}

static uint32_t
decision(void)
{
	if (!now.sched)
		return 0;
	return fg_decision_pack(fg_trace_text(now.sched->name), now.decider, fg_trace_text(now.reason));
}

uint32_t
fg_place_of(const struct fg_runqueue *queue)
{
	if (!queue)
		return FG_PLACE_NOWHERE;
	return queue->n_pus ? queue->first_pu << 16 | queue->n_pus : (uint32_t)FG_PLACE_ASIDE;
}

uint32_t
fg_decision_where_locked(const struct fg_entity *entity)
{
	struct fg_holder *holder = fg_load_relaxed(&entity->holder);
	while (holder && holder->bubble)
		holder = fg_load_relaxed(&holder->bubble->entity.holder);
	return holder ? fg_place_of(fg_holder_runqueue(holder)) : (uint32_t)FG_PLACE_NOWHERE;
}

void
fg_decision_trace(enum fg_event event, const struct fg_entity *entity, uint32_t from, uint32_t to)
{
	bool is_bubble = entity->kind == FG_ENTITY_BUBBLE;
	const struct fg_bubble *bubble = is_bubble ? (const struct fg_bubble *)entity : entity->bubble;
	if (bubble && bubble->number)
		fg_trace_slow(event, bubble->number, is_bubble ? 0 : entity->number, decision(),
			      fg_places_pack(from, to));
}

void
fg_decision_claimed_slow(uint32_t from)
{
	now.claimed = decision();
	now.claimed_from = from;
}

void
fg_decision_stole(uint32_t bubble, uint32_t member, const struct fg_runqueue *leaf)
{
	fg_trace_slow(FG_EVENT_steal, bubble, member, now.claimed, fg_places_pack(now.claimed_from, fg_place_of(leaf)));
}
