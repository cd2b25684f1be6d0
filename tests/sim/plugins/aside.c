/* A scheduler that puts members of new bubbles aside; its daemon puts them on the machine, or (lazy) leaves them there.
 * */
#include <forestgomp/sched.h>

struct aside {
	double lazy;
};

static struct fg_runqueue *queue, *top;

static int
start(void *self)
{
	(void)self;
	queue = fgomp_queue_new();
	return queue == NULL;
}

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	(void)self;
	(void)range;
	for (top = leaf; fgomp_queue_parent(top);)
		top = fgomp_queue_parent(top);
	struct fg_entity *member[8];
	unsigned n = fgomp_bubble_burst(bubble, member);
	fgomp_sched_reason("aside until the daemon comes");
	for (unsigned i = 0; i < n; i++)
		fgomp_put(member[i], queue);
	return NULL;
}

static void
bring_back(void *self)
{
	const struct aside *aside = self;
	if (aside->lazy)
		return;
	fgomp_sched_reason("the daemon has come");
	for (;;) {
		fgomp_queue_lock(queue);
		struct fg_entity *entity = fgomp_holder_first(fgomp_queue_holder(queue));
		if (entity)
			fgomp_take(entity);
		fgomp_queue_unlock(queue);
		if (!entity)
			return;
		fgomp_put(entity, top);
	}
}

static const struct fgomp_sched_option options[] = {
	{"lazy", "the daemon does nothing", offsetof(struct aside, lazy), 0, 0, 1, NULL},
	{0},
};

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "aside",
	.summary = "puts members aside",
	.size = sizeof(struct aside),
	.options = options,
	.start = start,
	.born = born,
	.daemon = bring_back,
	.period = 5000000,
};
