/* Live: the tree of the bubbles whose regions are in flight (floor: forest): see live.h.
 *
 * The holder of the lock makes the tree when it has locked. First the notes of what threads have met give the bubbles:
 * each is put into the record of the member of the bubble around that has met it, or into the list of the outermost
 * ones. A member meets one region at a time, so each record has room. Then the notes of where threads are members give
 * the threads. A thread may begin or end as a member meanwhile: it is found as before or after. It may be noted in a
 * bubble that was not found, which exists, but is in no tree of this look.
 *
 *     b.live.look == look  <=>  b is in the tree of this look (only the holder of the lock asks this, of a bubble that
 *                               exists)
 *
 * A thread is noted in a bubble that exists: it takes the note back (relaxed) before it drops its reference (acq_rel).
 * The thread that has met the region acquires the last reference, and releases as it leaves the lock at the region's
 * end. A holder that comes later acquires there, so it reads no such note. */
#include "forest/live.h"

#include <assert.h>
#include <string.h>

#include "platform/memory.h"

static struct {
	struct fg_biased_lock lock;
	struct fg_live_thread *threads; /* under the spin lock alone, as what follows */
	struct fg_bubble *outermost;	/* the others follow by live.beside */
	uint64_t look;
} live = {.lock = FG_BIASED_LOCK_INIT(FG_RANK_LIVE)};

/* A function of the runtime runs to its end on one identity, so this may be thread-local. */
static __thread bool mine;

void
fg_live_add(struct fg_biased_side *side)
{
	fg_biased_add(&live.lock, side);
}

/* ---- The look ---- */

static bool
has_room(struct fg_bubble *bubble, unsigned size)
{
	if (bubble->live.room < size) {
		fg_memory_free(bubble->live.member);
		bubble->live.member = fg_memory_get(size * sizeof *bubble->live.member);
		bubble->live.room = bubble->live.member ? size : 0;
	}
	if (bubble->live.member)
		memset(bubble->live.member, 0, size * sizeof *bubble->live.member);
	return bubble->live.member;
}

static void
find(struct fg_bubble *bubble)
{
	assert(bubble->live.look < live.look); /* one thread has noted it, once */
	bubble->live.look = live.look;
	bubble->live.size = has_room(bubble, bubble->size) ? bubble->size : 0;
}

/* The bubbles around were found. Below a bubble whose members are not known, bubbles count as outermost ones. */
static void
put(struct fg_bubble *bubble)
{
	struct fg_bubble *above = bubble->entity.bubble;
	if (above && above->live.look == live.look && bubble->live.number < above->live.size) {
		assert(!above->live.member[bubble->live.number].met);
		bubble->live.above = above;
		above->live.member[bubble->live.number].met = bubble;
		return;
	}
	bubble->live.above = NULL;
	bubble->live.beside = live.outermost;
	live.outermost = bubble;
}

static void
put_member(struct fg_bubble *bubble, unsigned number, struct fg_entity *entity)
{
	if (bubble->live.look == live.look && number < bubble->live.size)
		bubble->live.member[number].thread = entity;
}

static void
look_round(void)
{
	live.look++;
	live.outermost = NULL;
	for (struct fg_live_thread *one = live.threads; one; one = one->next)
		for (struct fg_bubble *bubble = one->met; bubble; bubble = bubble->live.outer)
			find(bubble);
	for (struct fg_live_thread *one = live.threads; one; one = one->next) {
		for (struct fg_bubble *bubble = one->met; bubble; bubble = bubble->live.outer) {
			put(bubble);
			put_member(bubble, 0, one->entity);
		}
		struct fg_bubble *in = fg_load_acquire(&one->in);
		if (in)
			put_member(in, fg_load_relaxed(&one->number), one->entity);
	}
}

void
fg_live_lock(void)
{
	assert(!mine);
	fg_biased_lock(&live.lock);
	mine = true;
	look_round();
}

bool
fg_live_is_mine(void)
{
	return mine;
}

void
fg_live_unlock(void)
{
	assert(mine);
	mine = false;
	fg_biased_unlock(&live.lock);
}

/* ---- The notes ---- */

void
fg_live_list(struct fg_live_thread *thread, struct fg_entity *entity)
{
	assert(!thread->link && !thread->met);
	bool entered = fg_biased_enter(&live.lock, NULL);
	thread->entity = entity;
	thread->next = live.threads;
	if (live.threads)
		live.threads->link = &thread->next;
	thread->link = &live.threads;
	live.threads = thread;
	fg_biased_leave(&live.lock, NULL, entered);
}

void
fg_live_leave(struct fg_live_thread *thread)
{
	if (!thread->link)
		return;
	bool entered = fg_biased_enter(&live.lock, NULL);
	assert(*thread->link == thread && !thread->met);
	*thread->link = thread->next;
	if (thread->next)
		thread->next->link = thread->link;
	thread->link = NULL;
	fg_biased_leave(&live.lock, NULL, entered);
}

void
fg_live_begin(struct fg_live_thread *thread, struct fg_entity *entity, struct fg_biased_side *side,
	      struct fg_bubble *bubble, unsigned number)
{
	if (__builtin_expect(!thread->link, 0))
		fg_live_list(thread, entity);
	if (__builtin_expect(fg_load_relaxed(&bubble->slice.budget) != 0, 0))
		fg_store_relaxed(&bubble->slice.budget, 0);
	if (__builtin_expect(fg_load_relaxed(&bubble->entity.range) != NULL, 0))
		fg_store_relaxed(&bubble->entity.range, NULL);
	assert(thread->entity == entity && thread->met != bubble && !mine);
	bubble->live.number = number;
	bubble->live.outer = thread->met;
	bool entered = fg_biased_enter(&live.lock, side);
	thread->met = bubble;
	fg_biased_leave(&live.lock, side, entered);
}

struct fg_runqueue fg_live_stopped;

/* A policy stops a thread under the lock. So it finds the thread before, or not at all. A thread that is stopped as one
 * member does not stay so as another. */
void
fg_live_end(struct fg_live_thread *thread, struct fg_biased_side *side, struct fg_bubble *bubble)
{
	if (!fg_live_is_noted(thread, bubble))
		return;
	bool entered = fg_biased_enter(&live.lock, side);
	thread->met = bubble->live.outer;
	if (__builtin_expect(fg_load_relaxed(&thread->entity->sent) == (void *)&fg_live_stopped, 0))
		fg_store_relaxed(&thread->entity->sent, NULL); /* it goes on as a member of the region around */
	fg_biased_leave(&live.lock, side, entered);
}

void
fg_live_member_end_slow(struct fg_entity *entity)
{
	bool entered = fg_biased_enter(&live.lock, NULL);
	fg_store_relaxed(&entity->sent, NULL);
	fg_biased_leave(&live.lock, NULL, entered);
}

void
fg_live_after_fork(struct fg_live_thread *thread)
{
	fg_biased_after_fork(&live.lock, FG_RANK_LIVE);
	live.threads = NULL;
	if (thread)
		*thread = (struct fg_live_thread){0};
}

void
fg_live_forget(struct fg_bubble *bubble)
{
	bubble->live.look = 0;
	fg_store_relaxed(&bubble->slice.budget, 0);
}

/* ---- Reading it ---- */

/* The first bubble that was met by a member of `above` with this number or a higher one. */
static struct fg_bubble *
met_from(const struct fg_bubble *above, unsigned number)
{
	struct fg_bubble *met = NULL;
	for (; !met && number < above->live.size; number++)
		met = above->live.member[number].met;
	return met;
}

bool
fg_live_has_locked(const struct fg_bubble *bubble)
{
	return mine && bubble->live.look == live.look;
}

struct fg_bubble *
fg_live_first_locked(const struct fg_bubble *above)
{
	assert(mine);
	if (!above)
		return live.outermost;
	return fg_live_has_locked(above) ? met_from(above, 0) : NULL;
}

struct fg_bubble *
fg_live_next_locked(const struct fg_bubble *bubble)
{
	assert(mine && bubble->live.look == live.look);
	return bubble->live.above ? met_from(bubble->live.above, bubble->live.number + 1) : bubble->live.beside;
}

unsigned
fg_live_size_locked(const struct fg_bubble *bubble)
{
	return fg_live_has_locked(bubble) ? bubble->live.size : 0;
}

struct fg_entity *
fg_live_thread_locked(const struct fg_bubble *bubble, unsigned number)
{
	return number < fg_live_size_locked(bubble) ? bubble->live.member[number].thread : NULL;
}

/* Members are born in the order of their numbers. One that a burst has set free lies somewhere until it begins. */
bool
fg_live_is_over_locked(const struct fg_bubble *bubble, unsigned number)
{
	bool free = bubble->members && number < bubble->n_members &&
		    fg_load_relaxed(&bubble->members[number].entity.holder);
	return number < bubble->born && !free && !fg_live_thread_locked(bubble, number);
}
