/* Bubble: bursting it, claiming its members, and weighing it (floor: forest): see bubble.h. */
#include "forest/bubble.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "forest/time.h"
#include "platform/memory.h"

struct fg_bubble_origins fg_bubble_origins;

/* The flag is set before anything is put, so a reader that holds the runqueue's lock sees it in time. A reader without
 * the lock may read an old 0 for a moment, but not about a worker that sleeps (exec/thread/wake.c). */
void
fg_bubble_expect(const void *origin)
{
	void *first = fg_load_relaxed(&fg_bubble_origins.first);
	if (fg_load_relaxed(&fg_bubble_origins.several) || first == origin)
		return;
	if (!first && (fg_cas_relaxed(&fg_bubble_origins.first, &first, (void *)origin) || first == origin))
		return;
	fg_store_relaxed(&fg_bubble_origins.several, 1);
}

void
fg_bubble_free(struct fg_bubble *bubble)
{
	fg_memory_free(bubble->members);
	fg_memory_free(bubble->content);
	fg_memory_free(bubble->times);
	fg_memory_free(bubble->live.member);
	bubble->live.member = NULL;
	bubble->live.room = 0;
	bubble->members = NULL;
	bubble->content = NULL;
	bubble->times = bubble->entity.time = NULL;
	bubble->n_members = bubble->n_times = 0;
}

struct fg_time *
fg_bubble_times(struct fg_bubble *bubble, unsigned size)
{
	assert(size > 0);
	if (bubble->n_times < size) {
		struct fg_time *times = fg_memory_aligned(sizeof *times, size * sizeof *times);
		if (!times)
			return NULL;
		fg_memory_free(bubble->times);
		bubble->times = times;
		bubble->n_times = size;
	}
	memset(bubble->times, 0, size * sizeof *bubble->times);
	return bubble->times;
}

uint64_t
fg_bubble_time(const struct fg_bubble *bubble, bool whole)
{
	uint64_t ns = 0;
	for (unsigned k = 0; bubble->entity.time && k < bubble->size; k++) {
		const struct fg_time *time = &bubble->entity.time[k];
		ns += whole ? fg_time_all(time) : fg_load_relaxed(&time->own);
	}
	return ns;
}

uint64_t
fg_bubble_events(const struct fg_bubble *bubble, bool whole)
{
	uint64_t n = 0;
	for (unsigned k = 0; bubble->entity.time && k < bubble->size; k++) {
		const struct fg_time *time = &bubble->entity.time[k];
		n += whole ? fg_time_all_events(time) : fg_load_relaxed(&time->own_events);
	}
	return n;
}

double
fg_bubble_thickness(const struct fg_bubble *bubble)
{
	double ns = 0, together = 0;
	if (!bubble->entity.time)
		return NAN;
	for (unsigned k = 0; k < bubble->size; k++) {
		const struct fg_time *time = &bubble->entity.time[k];
		ns += (double)fg_load_relaxed(&time->own);
		together +=
			(double)(fg_load_relaxed(&time->barriers) + fg_load_relaxed(&time->tasks)) * FG_TOGETHER_NS +
			(double)fg_load_relaxed(&time->own_events) * FG_EVENT_NS;
	}
	return together > 0 ? together / (together + ns) : 0;
}

/* The members keep the facts that are known of them (where each ran last) for as long as the team is kept. */
static bool
members_room(struct fg_bubble *bubble)
{
	if (bubble->n_members >= bubble->size)
		return true;
	struct fg_member *members = fg_memory_resize(bubble->members, bubble->size * sizeof *members);
	if (!members)
		return false;
	for (unsigned k = bubble->n_members; k < bubble->size; k++) {
		members[k].entity.last_pu = FG_NO_PU;
		fg_store_relaxed(&members[k].entity.transit, 0);
		members[k].entity.number = k;
		members[k].entity.from = 0;
	}
	bubble->members = members;
	bubble->n_members = bubble->size;
	return true;
}

unsigned
fg_bubble_entities(const struct fg_bubble *bubble)
{
	unsigned n = bubble->size - bubble->born;
	if (bubble->content)
		n += fg_load_relaxed(&bubble->content->n_unborn) + fg_load_relaxed(&bubble->content->n_ready);
	return n;
}

static unsigned
content_take(struct fg_holder *content, struct fg_entity *list, struct fg_entity **free)
{
	unsigned n = 0;
	while (!fg_entity_list_empty(list)) {
		free[n] = list->next;
		fg_holder_remove_locked(content, free[n++]);
	}
	return n;
}

unsigned
fg_bubble_burst(struct fg_bubble *bubble, struct fg_entity **free)
{
	assert(fg_load_stable(&bubble->entity.holder) == NULL && !fg_bubble_is_empty(bubble));
	if (bubble->born < bubble->size && !members_room(bubble))
		return 0;
	unsigned n = 0;
	for (; bubble->born < bubble->size; bubble->born++) {
		struct fg_member *member = &bubble->members[bubble->born];
		assert(member->entity.number == bubble->born);
		fg_store_relaxed(&member->entity.holder, NULL);
		member->entity.bubble = bubble;
		member->entity.kind = FG_ENTITY_MEMBER;
		member->entity.load = bubble->loads ? bubble->loads[member->entity.number] : 0;
		fg_store_relaxed(&member->entity.range, NULL);
		free[n++] = &member->entity;
	}
	if (bubble->content) {
		n += content_take(bubble->content, &bubble->content->ready, free + n);
		n += content_take(bubble->content, &bubble->content->unborn, free + n);
	}
	assert(n > 0 && fg_bubble_is_empty(bubble) && fg_bubble_valid(bubble));
	return n;
}

void
fg_bubble_leave_locked(struct fg_bubble *bubble)
{
	while (bubble && fg_bubble_is_empty(bubble)) {
		assert(fg_bubble_valid(bubble));
		struct fg_holder *holder = fg_load_relaxed(&bubble->entity.holder);
		if (!holder)
			return;
		fg_holder_remove_locked(holder, &bubble->entity);
		bubble = holder->bubble;
	}
}

/* The runqueue where the entity lies, through the bubbles that hold it. NULL: it lies nowhere, or in a bubble in
 * transit. */
static struct fg_runqueue *
anchor_of(const struct fg_entity *entity)
{
	for (;;) {
		/* acquire, because the holder may be a bubble's content that was made just before */
		struct fg_holder *holder = fg_load_acquire(&entity->holder);
		if (!holder)
			return NULL;
		if (!holder->bubble)
			return fg_holder_runqueue(holder);
		entity = &holder->bubble->entity;
	}
}

/* The bubble may move to another runqueue, or leave all of them, until this thread has the lock. Not inlined, because
 * the usual way would save more registers. */
static __attribute__((noinline)) struct fg_claimed
claim_through_others(struct fg_bubble *bubble)
{
	for (;;) {
		struct fg_runqueue *queue = anchor_of(&bubble->entity);
		if (!queue)
			return (struct fg_claimed){0};
		unsigned member = 0;
		fg_spinlock_lock(&queue->lock);
		bool still = anchor_of(&bubble->entity) == queue;
		assert(!still || !fg_bubble_is_empty(bubble));
		if (still && bubble->born < bubble->size)
			member = fg_bubble_born_locked(bubble);
		fg_spinlock_unlock(&queue->lock);
		if (still)
			return (struct fg_claimed){member, queue};
	}
}

struct fg_claimed
fg_bubble_claim(struct fg_bubble *bubble)
{
	struct fg_holder *holder = fg_load_acquire(&bubble->entity.holder); /* as in anchor_of */
	if (!holder)
		return (struct fg_claimed){0};
	if (__builtin_expect(holder->bubble == NULL, 1)) {
		struct fg_runqueue *queue = fg_holder_runqueue(holder);
		unsigned member = 0;
		fg_spinlock_lock(&queue->lock);
		bool still = fg_load_relaxed(&bubble->entity.holder) == holder;
		assert(!still || !fg_bubble_is_empty(bubble));
		if (still && bubble->born < bubble->size)
			member = fg_bubble_born_locked(bubble);
		fg_spinlock_unlock(&queue->lock);
		if (still)
			return (struct fg_claimed){member, queue};
	}
	return claim_through_others(bubble);
}

static unsigned count(const struct fg_entity *entity, bool bubbles);

static unsigned
count_list(const struct fg_entity *list, bool bubbles)
{
	unsigned n = 0;
	for (const struct fg_entity *entity = list->next; entity != list; entity = entity->next)
		n += count(entity, bubbles);
	return n;
}

/* The threads in the entity, and the bubbles, too. */
static unsigned
count(const struct fg_entity *entity, bool bubbles)
{
	if (entity->kind != FG_ENTITY_BUBBLE)
		return 1;
	const struct fg_bubble *bubble = (const struct fg_bubble *)entity;
	unsigned n = bubbles + bubble->size - bubble->born;
	if (bubble->content)
		n += count_list(&bubble->content->unborn, bubbles) + count_list(&bubble->content->ready, bubbles);
	return n;
}

unsigned
fg_entity_threads(const struct fg_entity *entity)
{
	return count(entity, false);
}

unsigned
fg_entity_all(const struct fg_entity *entity)
{
	return count(entity, true);
}

static float
list_load(const struct fg_entity *list)
{
	float load = 0;
	for (const struct fg_entity *entity = list->next; entity != list; entity = entity->next)
		load += fg_entity_load(entity);
	return load;
}

float
fg_entity_load(const struct fg_entity *entity)
{
	if (entity->load > 0)
		return entity->load;
	if (entity->kind != FG_ENTITY_BUBBLE)
		return 1;
	const struct fg_bubble *bubble = (const struct fg_bubble *)entity;
	float load = bubble->loads ? 0 : (float)(bubble->size - bubble->born);
	for (unsigned k = bubble->born; bubble->loads && k < bubble->size; k++)
		load += bubble->loads[k];
	if (bubble->content)
		load += list_load(&bubble->content->unborn) + list_load(&bubble->content->ready);
	return load;
}

#ifndef NDEBUG
bool
fg_bubble_valid(const struct fg_bubble *bubble)
{
	assert(bubble->entity.kind == FG_ENTITY_BUBBLE);
	assert(bubble->size > 0 && bubble->born <= bubble->size);
	assert((bubble->members != NULL) == (bubble->n_members != 0));
	assert((bubble->times != NULL) == (bubble->n_times != 0));
	assert(!bubble->content || (bubble->content->bubble == bubble && fg_holder_valid(bubble->content)));
	return true;
}
#endif
