/* Live: the tree of the bubbles whose regions are in flight (floor: forest): see live.h. */
#include "forest/live.h"

#include <string.h>

#include "base/spinlock.h"
#include "platform/memory.h"

#define OVER ((void *)1) /* instead of a thread */

static struct fg_spinlock lock = FG_SPINLOCK_INIT(FG_RANK_LIVE);
static struct fg_bubble *outermost; /* the newest; the others follow by live.older */

/* A function of the runtime runs to its end on one identity, so this may be thread-local. */
static __thread bool mine;

void
fg_live_lock(void)
{
	fg_spinlock_lock(&lock);
	mine = true;
}

bool
fg_live_is_mine(void)
{
	return mine;
}

void
fg_live_unlock(void)
{
	mine = false;
	fg_spinlock_unlock(&lock);
}

static bool
has_room(struct fg_bubble *bubble, unsigned size)
{
	if (bubble->live.room >= size) {
		memset(bubble->live.thread, 0, size * sizeof *bubble->live.thread);
		return true;
	}
	fg_memory_free(bubble->live.thread);
	bubble->live.thread = fg_memory_zeroed(size * sizeof *bubble->live.thread);
	bubble->live.room = bubble->live.thread ? size : 0;
	return bubble->live.thread;
}

static struct fg_bubble **
list_of(const struct fg_bubble *above)
{
	return above ? (struct fg_bubble **)&above->live.newest : &outermost;
}

void
fg_live_begin(struct fg_bubble *bubble, unsigned size)
{
	bubble->live.size = has_room(bubble, size) ? size : 0;
	struct fg_bubble *above = bubble->entity.bubble;
	bubble->live.newest = NULL;
	fg_store_relaxed(&bubble->slice.budget, 0);
	fg_store_relaxed(&bubble->entity.range, NULL);
	fg_live_lock();
	bubble->live.above = above && above->live.linked ? above : NULL;
	struct fg_bubble **list = list_of(bubble->live.above);
	bubble->live.older = *list;
	bubble->live.newer = NULL;
	if (*list)
		(*list)->live.newer = bubble;
	*list = bubble;
	bubble->live.linked = true;
	fg_live_unlock();
}

void
fg_live_end(struct fg_bubble *bubble)
{
	if (!bubble->live.linked)
		return; /* it was forgotten in the child of a fork */
	fg_live_lock();
	assert(!bubble->live.newest);
	if (bubble->live.older)
		bubble->live.older->live.newer = bubble->live.newer;
	if (bubble->live.newer)
		bubble->live.newer->live.older = bubble->live.older;
	else
		*list_of(bubble->live.above) = bubble->live.older;
	bubble->live.linked = false;
	fg_live_unlock();
}

struct fg_runqueue fg_live_stopped;
struct fg_atomic_u32 fg_live_stops;

/* A thread that is stopped as one member does not stay so as another. */
static void
goes_on(struct fg_entity *thread)
{
	if (fg_load_relaxed(&thread->sent) == (void *)&fg_live_stopped)
		fg_store_relaxed(&thread->sent, NULL);
}

void
fg_live_member_begin(struct fg_bubble *bubble, unsigned number, struct fg_entity *thread)
{
	if (number)
		fg_store_relaxed(&thread->sent, NULL); /* it was sent after it had ended as another member */
	if (number < bubble->live.size)
		fg_store_release(&bubble->live.thread[number], thread);
	if (number && __builtin_expect(fg_load_acquire(&bubble->entity.range) != NULL, 0))
		fg_store_relaxed(&thread->range, fg_load_relaxed(&bubble->entity.range));
}

void
fg_live_member_end(struct fg_bubble *bubble, unsigned number, struct fg_entity *thread)
{
	/* A policy stops a thread under the lock. So it finds the thread before, or not at all. */
	bool locks = number == 0 || fg_load_relaxed(&fg_live_stops);
	if (locks)
		fg_live_lock();
	if (number < bubble->live.size)
		fg_store_release(&bubble->live.thread[number], OVER);
	if (number) /* member 0 goes on as a member of the region around */
		fg_store_relaxed(&thread->sent, NULL);
	else
		goes_on(thread); /* it was sent as a member of the region around */
	if (locks)
		fg_live_unlock();
}

void
fg_live_after_fork(void)
{
	fg_spinlock_init(&lock, FG_RANK_LIVE);
	outermost = NULL;
}

void
fg_live_forget(struct fg_bubble *bubble)
{
	bubble->live.linked = false;
	bubble->live.size = 0;
	fg_store_relaxed(&bubble->slice.budget, 0);
}

struct fg_bubble *
fg_live_first_locked(const struct fg_bubble *above)
{
	return *list_of(above);
}

struct fg_bubble *
fg_live_next_locked(const struct fg_bubble *bubble)
{
	return bubble->live.older;
}

struct fg_entity *
fg_live_thread_locked(const struct fg_bubble *bubble, unsigned number)
{
	void *thread = number < bubble->live.size ? fg_load_acquire(&bubble->live.thread[number]) : NULL;
	return thread == OVER ? NULL : thread;
}

bool
fg_live_is_over_locked(const struct fg_bubble *bubble, unsigned number)
{
	return number < bubble->live.size && fg_load_relaxed(&bubble->live.thread[number]) == OVER;
}
