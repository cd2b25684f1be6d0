/* Strict priorities. The load that the program tells of a team is its priority; a team of which it tells none has that
 * of the team around it, or 0. While a team is in flight, no nested team of a lower priority runs: its threads are
 * stopped, and its members that have not begun are put aside. The runtime takes it for a mistake if a team waits for
 * two seconds.
 *
 * `highest` and the runqueue of each bubble change only under the lock of the tree. A member is found in the tree from
 * before `begun` until it ends. So either the function that raises `highest` stops it, or its own `begun` does. */
#include <forestgomp/sched.h>

static double highest; /* the priority of the nested teams that run */
static struct fg_runqueue *top, *aside;

static double
priority(struct fg_bubble *bubble)
{
	double most = 0;
	for (; bubble; bubble = fgomp_entity_parent(fgomp_bubble_entity(bubble))) {
		const struct fg_entity *entity = fgomp_bubble_entity(bubble);
		if (fgomp_entity_load_known(entity) && fgomp_entity_load(entity) > most)
			most = fgomp_entity_load(entity);
	}
	return most;
}

static bool
is_nested(struct fg_bubble *bubble)
{
	return fgomp_entity_parent(fgomp_bubble_entity(bubble));
}

static double
highest_below(const struct fg_bubble *above)
{
	double most = 0;
	for (struct fg_bubble *one = fgomp_tree_first(above); one; one = fgomp_tree_next(one)) {
		double own = is_nested(one) ? priority(one) : 0, below = highest_below(one);
		most = own > most ? own : most;
		most = below > most ? below : most;
	}
	return most;
}

/* Moves the members that have not begun, if they lie there. */
static void
move(struct fg_bubble *bubble, struct fg_runqueue *from, struct fg_runqueue *to)
{
	struct fg_entity *entity = fgomp_bubble_entity(bubble);
	fgomp_queue_lock(from);
	bool lies = fgomp_entity_holder(entity) == fgomp_queue_holder(from);
	if (lies)
		fgomp_take(entity);
	fgomp_queue_unlock(from);
	if (lies)
		fgomp_put(entity, to);
}

static void
set(struct fg_bubble *bubble, bool runs)
{
	move(bubble, runs ? aside : top, runs ? top : aside);
	for (unsigned k = 0; k < fgomp_bubble_size(bubble); k++) {
		struct fg_entity *thread = fgomp_bubble_thread(bubble, k);
		if (thread && runs)
			fgomp_thread_go(thread);
		else if (thread)
			fgomp_thread_stop(thread);
	}
}

/* A thread that has met a team is a member of two. The inner one comes last, so it decides. */
static void
set_below(const struct fg_bubble *above)
{
	for (struct fg_bubble *one = fgomp_tree_first(above); one; one = fgomp_tree_next(one)) {
		if (is_nested(one))
			set(one, priority(one) >= highest);
		set_below(one);
	}
}

static void
rule(void)
{
	double before = highest;
	highest = highest_below(NULL);
	fgomp_sched_reason(highest > before ? "a higher team has begun" : "the higher teams are over");
	if (highest != before)
		set_below(NULL);
}

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	(void)self;
	(void)range;
	fgomp_tree_lock();
	for (top = leaf; fgomp_queue_parent(top);)
		top = fgomp_queue_parent(top);
	if (!aside && !(aside = fgomp_queue_new()))
		aside = top;
	rule();
	bool runs = priority(bubble) >= highest;
	fgomp_sched_reason(runs ? "none is higher" : "a higher team runs");
	fgomp_put(fgomp_bubble_entity(bubble), runs ? top : aside);
	fgomp_tree_unlock();
	return NULL;
}

/* The thread that meets a low team runs, and so does a member that began as `highest` was raised. */
static void
begun(void *self, struct fg_bubble *bubble, unsigned number, struct fg_runqueue *leaf)
{
	(void)self;
	(void)leaf;
	if (!is_nested(bubble))
		return;
	fgomp_tree_lock();
	struct fg_entity *thread = fgomp_bubble_thread(bubble, number);
	if (thread && priority(bubble) < highest)
		fgomp_thread_stop(thread);
	fgomp_tree_unlock();
}

static void
ended(void *self, struct fg_bubble *bubble, struct fg_runqueue *leaf)
{
	(void)self;
	(void)bubble;
	(void)leaf;
	fgomp_tree_lock();
	rule();
	set_below(NULL); /* the thread that met the team goes on in the one around, which may be lower */
	fgomp_tree_unlock();
}

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "priorities",
	.summary = "no team runs beside one of a higher priority",
	.born = born,
	.begun = begun,
	.ended = ended,
	.tree = true,
};
