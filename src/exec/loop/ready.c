/* Ready (floor: exec): see ready.h. */
#include "exec/loop/ready.h"

#include "exec/ground/hooks.h"
#include "exec/loop/inbox.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/wake.h"
#include "exec/thread/worker.h"
#include "forest/live.h"
#include "exec/thread/levels.h"
#include "sched/home.h"
#include "sched/policy.h"

/* Takes the level to which the thread was sent. NULL: it was not. A mark to stop is no level, and stays: the thread is
 * kept at its next switch. */
static struct fg_runqueue *
sent_take(struct fg_identity *thread)
{
	void *sent = fg_load_relaxed(&thread->entity.sent);
	while (sent && sent != &fg_live_stopped)
		if (fg_cas_acquire(&thread->entity.sent, &sent, NULL))
			return sent;
	return NULL;
}

/* A thread goes back where it was, so that the threads of a team stay spread over the machine from phase to phase. A
 * policy may have sent it elsewhere meanwhile (sched/live_tree.c). */
static struct fg_runqueue *
where_ready(struct fg_identity *thread)
{
	struct fg_runqueue *target = sent_take(thread);
	if (__builtin_expect(target != NULL, 0))
		return target;
	struct fg_runqueue *level = fg_load_relaxed(&thread->entity.level);
	struct fg_runqueue *home = level ? level : fg_worker_leaf(thread->worker);
	unsigned wants = fg_policies_want_now();
	if (__builtin_expect(!(wants & (FG_WANTS_WOKEN | FG_WANTS_HOMES)), 1))
		return home;
	if (wants & FG_WANTS_HOMES) {
		struct fg_runqueue *there = fg_home_of_thread(&thread->entity, home);
		if (there != home) {
			fg_store_relaxed(&thread->entity.level, NULL);
			return there;
		}
	}
	if (!(wants & FG_WANTS_WOKEN))
		return home;
	const struct fg_identity *self = fg_self();
	/* A worker that carries nothing looks for no work. */
	struct fg_worker *near = self && self->worker->carries ? self->worker : thread->worker;
	return fg_policy_woken(&thread->entity, home, fg_worker_leaf(near));
}

/* The thread was sent while it was not pinned, or was about to be. It stays where it is pinned. A mark that another
 * thread sets at the same time lasts. */
static void
forget_sent(struct fg_identity *thread)
{
	void *sent = fg_load_relaxed(&thread->entity.sent);
	if (sent && sent != &fg_live_stopped)
		fg_cas_relaxed(&thread->entity.sent, &sent, NULL);
}

void
fg_worker_ready(struct fg_identity *thread)
{
	struct fg_worker *only = thread->pinned;
	assert(thread != fg_self() && (only || thread->worker));
	assert(fg_identity_valid(thread) && !fg_self_preemptible());
	assert(!fg_load_stable(&thread->entity.holder) && !thread->park.on &&
	       fg_load_stable(&thread->away) != FG_TAKEN);
	if (__builtin_expect(fg_load_relaxed(&thread->entity.sent) != NULL, 0) && fg_exec_hooks.keep(thread))
		return;
	if (only) {
		if (__builtin_expect(fg_load_relaxed(&thread->entity.sent) != NULL, 0))
			forget_sent(thread);
		fg_worker_trace(FG_EVENT_ready, thread, fg_worker_leaf(only)->first_pu, 1);
		fg_inbox_put(&only->pinned, thread);
		fg_wake_worker(only);
		fg_monitor_poke();
		return;
	}
	struct fg_runqueue *queue = where_ready(thread);
	assert(queue && thread->entity.kind == FG_ENTITY_THREAD);
	fg_worker_trace(FG_EVENT_ready, thread, queue->first_pu, queue->n_pus);
	const void *origin = fg_load_relaxed(&fg_bubble_origins.several) ? fg_entity_origin(&thread->entity) : NULL;
	fg_runqueue_push(queue, &thread->entity);
	fg_wake_any(queue, origin);
	fg_monitor_poke();
}
