/* Runqueues that policies have put aside (floor: sched). The watchdog looks after them.
 *
 * A runqueue is never freed here, because the watchdog reads the list without a lock. One that a policy frees stays in
 * the list, marked. */
#include "platform/memory.h"
#include "sched/policy.h"

#define ASIDE_PU UINT32_MAX
#define KEPT_PU (UINT32_MAX - 1) /* a policy has freed it */

bool
fg_policy_is_aside(const struct fg_runqueue *queue)
{
	return queue->first_pu == ASIDE_PU;
}

struct fg_runqueue *
fg_policy_aside_first(void)
{
	return fg_load_acquire(&fg_policies.aside);
}

static void
empty(struct fg_runqueue *queue, unsigned pu)
{
	fg_runqueue_init(queue, NULL, pu, 0);
	queue->quiet = true;
}

__attribute__((visibility("default"))) struct fg_runqueue *
fgomp_queue_new(void)
{
	struct fg_runqueue *queue = fg_memory_aligned(64, sizeof *queue);
	if (!queue)
		return NULL;
	empty(queue, ASIDE_PU);
	void *next = fg_load_relaxed(&fg_policies.aside);
	do
		queue->aside_next = next;
	while (!fg_cas_release(&fg_policies.aside, &next, queue));
	return queue;
}

/* The entities there belong to regions that the child does not have, and the holder of a lock does not exist in it. The
 * list itself is whole at any moment. */
void
fg_policy_aside_after_fork(void)
{
	for (struct fg_runqueue *queue = fg_policy_aside_first(), *next; queue; queue = next) {
		next = queue->aside_next;
		empty(queue, queue->first_pu);
		queue->aside_next = next;
	}
}

/* The runqueue stays in the list. */
__attribute__((visibility("default"))) void
fgomp_queue_free(struct fg_runqueue *queue)
{
	queue->first_pu = KEPT_PU;
}
