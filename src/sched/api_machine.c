/* The questions of a policy about the machine: its tree of runqueues (floor: sched; include/forestgomp/sched.h). */
#include "forestgomp/sched.h"
#include "sched/policy.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT struct fg_runqueue *
fgomp_queue_parent(struct fg_runqueue *queue)
{
	return fg_runqueue_parent(queue);
}

EXPORT struct fg_runqueue *
fgomp_queue_above(const void *self, struct fg_runqueue *queue)
{
	while ((queue = fg_runqueue_parent(queue)) && fg_policy_of(queue)->self != self)
		;
	return queue;
}

EXPORT unsigned
fgomp_queue_n_children(struct fg_runqueue *queue)
{
	const struct fg_runqueue_list *below = fg_runqueue_below(queue);
	return below ? below->n : 0;
}

EXPORT struct fg_runqueue *
fgomp_queue_child(struct fg_runqueue *queue, unsigned i)
{
	return fg_runqueue_below(queue)->queue[i];
}

EXPORT unsigned
fgomp_queue_first_pu(const struct fg_runqueue *queue)
{
	return queue->first_pu;
}

EXPORT unsigned
fgomp_queue_n_pus(const struct fg_runqueue *queue)
{
	return queue->n_pus;
}

EXPORT unsigned
fgomp_queue_usable_pus(const struct fg_runqueue *queue)
{
	const struct fg_runqueue_list *below = fg_runqueue_below((struct fg_runqueue *)queue);
	unsigned usable = below ? 0 : !fg_load_relaxed(&queue->away);
	for (unsigned i = 0; below && i < below->n; i++)
		usable += fgomp_queue_usable_pus(below->queue[i]);
	return usable;
}

EXPORT bool
fgomp_queue_is(const struct fg_runqueue *queue, enum fgomp_level kind)
{
	return queue->kinds >> kind & 1;
}

EXPORT struct fg_runqueue *
fgomp_queue_common(struct fg_runqueue *a, struct fg_runqueue *b)
{
	return fg_runqueue_common(a, b);
}

EXPORT struct fg_runqueue *
fgomp_queue_of_pu(struct fg_runqueue *above, unsigned pu)
{
	const struct fg_runqueue_list *below;
	while ((below = fg_runqueue_below(above))) {
		unsigned i = 0;
		while (pu - below->queue[i]->first_pu >= below->queue[i]->n_pus)
			i++;
		above = below->queue[i];
	}
	return above;
}

EXPORT unsigned
fgomp_queue_count(const struct fg_runqueue *queue)
{
	return fg_load_relaxed(&queue->holder.n_unborn) + fg_load_relaxed(&queue->holder.n_ready);
}
