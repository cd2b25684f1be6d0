/* The statistics of a bubble, for policies (floor: sched; include/forestgomp/sched.h). */
#include "forest/runqueue.h"
#include "forestgomp/sched.h"

#define EXPORT __attribute__((visibility("default")))

struct count {
	const struct fg_bubble *bubble;
	bool whole;
	struct fgomp_bubble_statistics *sum;
};

static void
count_list(const struct count *count, const struct fg_entity *list)
{
	struct fgomp_bubble_statistics *sum = count->sum;
	for (const struct fg_entity *entity = list->next; entity != list; entity = entity->next) {
		const struct fg_bubble *bubble = (const struct fg_bubble *)entity;
		bool is_bubble = entity->kind == FG_ENTITY_BUBBLE;
		if (is_bubble && bubble->content) {
			count_list(count, &bubble->content->ready);
			count_list(count, &bubble->content->unborn);
		}
		if (is_bubble && bubble == count->bubble)
			sum->unborn += bubble->size - bubble->born;
		else if (is_bubble && count->whole && fg_entity_is_kin(entity, count->bubble)) {
			sum->threads += bubble->size - 1; /* its first member is a thread of its parent */
			sum->unborn += bubble->size - bubble->born;
		} else if (!is_bubble && (entity->bubble == count->bubble ||
					  (count->whole && fg_entity_is_kin(entity, count->bubble)))) {
			sum->ready += entity->kind == FG_ENTITY_THREAD;
			sum->unborn += entity->kind == FG_ENTITY_MEMBER;
		}
	}
}

static void
count_below(const struct count *count, struct fg_runqueue *level)
{
	count_list(count, &level->holder.ready);
	count_list(count, &level->holder.unborn);
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	for (unsigned i = 0; below && i < below->n; i++)
		count_below(count, below->queue[i]);
}

static double
expected(const struct fg_bubble *bubble)
{
	double load = (double)bubble->entity.load;
	if (load > 0 || !bubble->loads)
		return load;
	for (unsigned k = 0; k < bubble->size; k++)
		load += (double)bubble->loads[k];
	return load;
}

EXPORT unsigned
fgomp_bubble_tasks(const struct fg_bubble *bubble, const struct fg_runqueue *level)
{
	return fg_bubble_tasks(bubble, level);
}

EXPORT void
fgomp_bubble_statistics(struct fg_bubble *bubble, struct fg_runqueue *level, bool whole,
			struct fgomp_bubble_statistics *statistics)
{
	*statistics = (struct fgomp_bubble_statistics){
		.threads = bubble->size,
		.depth = bubble->depth,
		.region = bubble->region,
		.load = (double)fg_entity_load(&bubble->entity),
		.tasks = fg_bubble_tasks(bubble, NULL),
		.expected = expected(bubble),
		.cpu_time = fg_bubble_time(bubble, whole),
		.thickness = fgomp_bubble_thickness(bubble),
	};
	struct count count = {bubble, whole, statistics};
	count_below(&count, level);
	unsigned waiting = statistics->unborn + statistics->ready;
	statistics->running = statistics->threads > waiting ? statistics->threads - waiting : 0;
}
