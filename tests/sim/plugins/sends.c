/* A scheduler that finds the regions in flight and sends their threads: member k of bubble b goes to PU first + step *
 * (b + k). Bubbles stay where they were met, and no PU steals: without it one PU would run all members. It tells what
 * it sees on the standard error, at each call of its daemon:
 *   tree BUBBLES THREADS ABSENT RUNNING READY BLOCKED
 *   thread BUBBLE MEMBER STATE PU TARGET SENT */
#include <forestgomp/sched.h>
#include <stdio.h>

struct sends {
	double step, stops;
};

static struct fg_runqueue *top;

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	(void)self;
	(void)bubble;
	(void)range;
	for (struct fg_runqueue *level = leaf; level; level = fgomp_queue_parent(level))
		top = level;
	return leaf;
}

static void
look(const struct sends *sends, const struct fg_bubble *bubble, unsigned number)
{
	for (unsigned k = 1; k < fgomp_bubble_size(bubble); k++) {
		struct fg_entity *thread = fgomp_bubble_thread(bubble, k);
		if (!thread)
			continue;
		if (sends->stops > 0)
			fgomp_thread_go(thread);
		int pu;
		enum fgomp_thread_state state = fgomp_thread_state(thread, &pu);
		unsigned target = (unsigned)sends->step * (number + k) % fgomp_queue_n_pus(top);
		struct fg_runqueue *queue = fgomp_queue_of_pu(top, target);
		bool sent =
			pu != (int)target && fgomp_thread_level(thread) != queue && fgomp_thread_send(thread, queue);
		if (sent && sends->stops > 0)
			fgomp_thread_stop(thread);
		fprintf(stderr, "thread %u %u %d %d %u %d\n", number, k, (int)state, pu, target, sent);
	}
}

static void
look_below(const struct sends *sends, const struct fg_bubble *above, unsigned *number)
{
	for (struct fg_bubble *bubble = fgomp_tree_first(above); bubble; bubble = fgomp_tree_next(bubble)) {
		if (above)
			look(sends, bubble, (*number)++);
		look_below(sends, bubble, number);
	}
}

static void
daemon(void *self)
{
	unsigned number = 0;
	if (!top)
		return;
	fgomp_tree_lock();
	struct fgomp_tree_statistics sum;
	fgomp_tree_statistics(NULL, &sum);
	fprintf(stderr, "tree %u %u %u %u %u %u\n", sum.bubbles, sum.threads, sum.absent, sum.running, sum.ready,
		sum.blocked);
	if (((struct sends *)self)->step > 0)
		look_below(self, NULL, &number);
	fgomp_tree_unlock();
}

static const struct fgomp_sched_option options[] = {
	{"step", "PUs from one member to the next; 0: nothing is sent", offsetof(struct sends, step), 1, 0, 16, NULL},
	{"stops", "1: each is stopped until the next call", offsetof(struct sends, stops), 0, 0, 1, NULL},
	{0},
};

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "sends",
	.summary = "sends the threads of nested regions to PUs of their own",
	.size = sizeof(struct sends),
	.options = options,
	.born = born,
	.daemon = daemon,
	.period = 2000000,
	.tree = true,
};
