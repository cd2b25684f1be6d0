/* Decision: which function of which policy is at work on this thread, and its reason: all for a trace (floor: sched;
 * called by policy.c, by the functions that policies call, by the built-in policies, and where exec steals or brings
 * back an entity). Without a trace each of these calls is one load and one branch. */
#pragma once
#include "forest/runqueue.h"
#include "forestgomp/sched.h"
#include "trace/decision.h"

/* From now on this function of the policy decides, on this thread. It has given no reason so far. */
void fg_decision_begin_slow(const struct fgomp_sched *sched, enum fg_decider decider);
static inline void
fg_decision_begin(const struct fgomp_sched *sched, enum fg_decider decider)
{
	if (__builtin_expect(fg_recording.trace, 0))
		fg_decision_begin_slow(sched, decider);
}

/* For the built-in policies: as fgomp_sched_reason. */
static inline void
fg_reason(const char *text)
{
	if (__builtin_expect(fg_recording.trace, 0))
		fgomp_sched_reason(text);
}

/* Where an entity lies or will lie, as a trace has it. NULL: nowhere. */
uint32_t fg_place_of(const struct fg_runqueue *queue);

/* The entity is in transit now, and lay there before. */
static inline void
fg_decision_took(struct fg_entity *entity, uint32_t from)
{
	if (__builtin_expect(fg_recording.trace, 0))
		entity->from = from;
}
/* The place of an entity that lies on a locked runqueue, perhaps in bubbles. */
uint32_t fg_decision_where_locked(const struct fg_entity *entity);

/* Writes an event of the decision at work. */
void fg_decision_trace(enum fg_event event, const struct fg_entity *entity, uint32_t from, uint32_t to);
static inline void
fg_decision_placed(const struct fg_entity *entity, uint32_t from, uint32_t to)
{
	if (__builtin_expect(fg_recording.trace, 0))
		fg_decision_trace(entity->kind == FG_ENTITY_BUBBLE ? FG_EVENT_place_bubble : FG_EVENT_place, entity,
				  from, to);
}

/* A function of a policy has claimed something that lay there. fg_decision_stole writes the event. It is called after
 * that function, on the same thread. */
void fg_decision_claimed_slow(uint32_t from);
static inline void
fg_decision_claimed(const struct fg_runqueue *queue)
{
	if (__builtin_expect(fg_recording.trace, 0))
		fg_decision_claimed_slow(fg_place_of(queue));
}
void fg_decision_stole(uint32_t bubble, uint32_t member, const struct fg_runqueue *leaf);
