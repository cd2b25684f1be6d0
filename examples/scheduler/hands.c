/* A bubble scheduler as a plug-in: an idle PU goes where tasks wait. Nested teams lie where they were met. Of all that
 * waits for a PU, an idle PU takes a member whose team has most tasks. So a team that makes many tasks gets its members
 * as hands for them, before members of other teams begin. Where no tasks wait, it takes what is nearest.
 *
 *   gcc -O2 -shared -fPIC hands.c -o hands.so
 *   FGOMP_SCHED=./hands.so forestgomp run ./program */
#include <forestgomp/sched.h>

struct hands {
	double tasks; /* 0: tasks do not count */
	double near;  /* tasks on the thief's own node count so many times */
};

static const struct fgomp_sched_option options[] = {
	{"tasks", "members of teams with many tasks go first", offsetof(struct hands, tasks), 1, 0, 1, NULL},
	{"near", "tasks on the own node count so many times", offsetof(struct hands, near), 2, 1, 1e6, NULL},
	{0},
};

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	(void)self;
	(void)bubble;
	(void)range;
	return leaf;
}

/* Returns the level of this kind about the PU, or the machine. */
static struct fg_runqueue *
above(struct fg_runqueue *level, enum fgomp_level kind)
{
	while (!fgomp_queue_is(level, kind) && fgomp_queue_parent(level))
		level = fgomp_queue_parent(level);
	return level;
}

/* The runqueue of the entity is locked, so its team does not end. */
static double
tasks_of(const struct hands *hands, struct fg_entity *entity, struct fg_runqueue *node, struct fg_runqueue *machine)
{
	struct fg_bubble *bubble = fgomp_entity_bubble(entity), *team = bubble ? bubble : fgomp_entity_parent(entity);
	if (!team || hands->tasks == 0)
		return 0;
	return fgomp_bubble_tasks(team, machine) + (hands->near - 1) * fgomp_bubble_tasks(team, node);
}

/* The entity on a locked runqueue whose team has most tasks, if it has more than `least`. */
static struct fg_entity *
best_of(const struct hands *hands, struct fg_runqueue *queue, struct fg_runqueue *node, struct fg_runqueue *machine,
	double *least)
{
	struct fg_entity *best = NULL, *entity = fgomp_holder_first(fgomp_queue_holder(queue));
	for (; entity; entity = fgomp_holder_next(fgomp_queue_holder(queue), entity)) {
		double tasks = tasks_of(hands, entity, node, machine);
		if (tasks > *least) {
			*least = tasks;
			best = entity;
		}
	}
	return best;
}

/* Teams may change between the two looks. Then the second one finds another entity, or none. */
static bool
idle(void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim)
{
	struct fg_runqueue *node = above(leaf, FGOMP_NUMA_NODE), *machine = above(node, FGOMP_MACHINE), *from = NULL;
	unsigned first = fgomp_queue_first_pu(leaf), n = fgomp_queue_n_pus(machine);
	double most = -1;
	(void)turn;
	for (unsigned i = 0; i < n; i++) {
		struct fg_runqueue *queue = fgomp_queue_of_pu(machine, (first + i) % n);
		if (!fgomp_queue_count(queue))
			continue;
		fgomp_queue_lock(queue);
		if (best_of(self, queue, node, machine, &most))
			from = queue;
		fgomp_queue_unlock(queue);
	}
	if (!from)
		return false;
	fgomp_sched_reason(most > 0 ? "hands for tasks" : "no tasks wait");
	double least = -1;
	fgomp_queue_lock(from);
	struct fg_entity *entity = best_of(self, from, node, machine, &least);
	bool claimed = entity && fgomp_claim(entity, claim);
	fgomp_queue_unlock(from);
	return claimed;
}

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "hands",
	.summary = "an idle PU goes where tasks wait",
	.size = sizeof(struct hands),
	.options = options,
	.born = born,
	.idle = idle,
};
