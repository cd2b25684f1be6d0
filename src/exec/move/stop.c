/* Stop (floor: exec): see stop.h. */
#include "exec/move/stop.h"

#include "base/spinlock.h"
#include "exec/ground/options.h"
#include "exec/loop/ready.h"
#include "exec/thread/doorbell.h"
#include "forest/live.h"

static struct {
	struct fg_spinlock lock;
	struct fg_identity *stopped, *gone;	/* under the lock; the second: they may go on */
	struct fg_atomic_u32 n_stopped, n_gone; /* read without the lock as hints */
	struct fg_atomic_u32 over;		/* 1: a policy has left them here, so no thread is stopped any more */
	bool change;	  /* a thread has gone on, or was kept as the first, since the last look */
	uint64_t changed; /* the look that last found that, by the watchdog's time */
} stopped = {.lock = FG_SPINLOCK_INIT(FG_RANK_POOL)};

static struct fg_identity *
identity_of(struct fg_entity *thread)
{
	return (struct fg_identity *)((char *)thread - offsetof(struct fg_identity, entity));
}

static bool
is_marked(const struct fg_identity *thread)
{
	return fg_load_relaxed(&thread->entity.sent) == (void *)&fg_live_stopped;
}

bool
fg_stop(struct fg_entity *thread)
{
	if (fg_exec_options.kernel_threads || fg_load_relaxed(&stopped.over))
		return false;
	fg_spinlock_lock(&stopped.lock);
	/* It was sent and has not left yet: it is ready there when it goes on. */
	void *sent = fg_exchange_acq_rel(&thread->sent, &fg_live_stopped);
	if (sent && sent != &fg_live_stopped)
		fg_store_relaxed(&thread->level, sent);
	fg_spinlock_unlock(&stopped.lock);
	return true;
}

static void
put_locked(struct fg_identity *thread)
{
	assert(fg_spinlock_held(&stopped.lock) && is_marked(thread) && !fg_load_stable(&thread->entity.holder));
	if (!stopped.stopped)
		stopped.change = true;
	thread->next = stopped.stopped;
	stopped.stopped = thread;
	fg_add_relaxed(&stopped.n_stopped, 1);
}

static void
let_go_locked(struct fg_identity **link)
{
	struct fg_identity *thread = *link;
	assert(fg_spinlock_held(&stopped.lock) && is_marked(thread) && fg_load_stable(&stopped.n_stopped) > 0);
	*link = thread->next;
	thread->next = stopped.gone;
	stopped.gone = thread;
	fg_store_relaxed(&thread->entity.sent, NULL);
	fg_sub_acq_rel(&stopped.n_stopped, 1);
	fg_add_relaxed(&stopped.n_gone, 1);
	stopped.change = true;
}

void
fg_stop_keep_taken(struct fg_entity *thread)
{
	fg_spinlock_lock(&stopped.lock);
	put_locked(identity_of(thread));
	if (fg_load_relaxed(&stopped.over))
		let_go_locked(&stopped.stopped);
	fg_spinlock_unlock(&stopped.lock);
	fg_monitor_poke();
}

bool
fg_stop_keep(struct fg_identity *thread)
{
	if (!is_marked(thread))
		return false;
	fg_spinlock_lock(&stopped.lock);
	bool marked = is_marked(thread) && !fg_load_relaxed(&stopped.over);
	if (marked)
		put_locked(thread);
	else if (is_marked(thread))
		fg_store_relaxed(&thread->entity.sent, NULL);
	fg_spinlock_unlock(&stopped.lock);
	fg_monitor_poke();
	return marked;
}

void
fg_stop_go(struct fg_entity *thread)
{
	struct fg_identity *identity = identity_of(thread), **link = &stopped.stopped;
	if (!is_marked(identity))
		return;
	fg_spinlock_lock(&stopped.lock);
	while (*link && *link != identity)
		link = &(*link)->next;
	if (*link)
		let_go_locked(link);
	else if (is_marked(identity))
		fg_store_relaxed(&thread->sent, NULL);
	fg_spinlock_unlock(&stopped.lock);
}

static struct fg_identity *
take_gone(void)
{
	if (fg_load_relaxed(&stopped.n_gone) == 0)
		return NULL;
	fg_spinlock_lock(&stopped.lock);
	struct fg_identity *first = stopped.gone;
	stopped.gone = NULL;
	fg_store_relaxed(&stopped.n_gone, 0);
	fg_spinlock_unlock(&stopped.lock);
	return first;
}

void
fg_stop_ready(void)
{
	struct fg_identity *self = fg_self();
	assert(fg_lock_order_none("lets stopped threads run with"));
	bool inside = fg_enter_again(self);
	for (struct fg_identity *thread = take_gone(), *next; thread; thread = next) {
		next = thread->next;
		fg_worker_ready(thread);
	}
	fg_leave_again(self, inside);
}

unsigned
fg_stop_look(uint64_t watched, uint64_t limit, bool *some)
{
	unsigned n = 0;
	if (fg_load_relaxed(&stopped.n_stopped) == 0)
		return 0;
	fg_spinlock_lock(&stopped.lock);
	assert((stopped.stopped == NULL) == (fg_load_stable(&stopped.n_stopped) == 0) &&
	       (stopped.gone == NULL) == (fg_load_stable(&stopped.n_gone) == 0));
	if (stopped.change)
		stopped.changed = watched;
	stopped.change = false;
	bool late = stopped.stopped && watched - stopped.changed > limit;
	if (late)
		fg_store_relaxed(&stopped.over, 1);
	for (; late && stopped.stopped; n++)
		let_go_locked(&stopped.stopped);
	*some |= stopped.stopped != NULL;
	fg_spinlock_unlock(&stopped.lock);
	return n;
}

void
fg_stop_after_fork(void)
{
	fg_spinlock_init(&stopped.lock, FG_RANK_POOL);
	stopped.stopped = stopped.gone = NULL;
	fg_store_relaxed(&stopped.n_stopped, 0);
	fg_store_relaxed(&stopped.n_gone, 0);
	fg_store_relaxed(&stopped.over, 0);
}
