/* A scheduler that tells on the standard error what it is told of time, in microseconds of the machine:
 *   expired TIME BUBBLE_SIZE THREADS     a budget is used up; the threads that the tree has below
 *   begun TIME BUBBLE_SIZE NUMBER PU     the member is in the tree
 *   finished TIME BUBBLE_SIZE NUMBER PU
 *   idles TIME PU IDLE_FOR
 *   daemon TIME TIME                     a call began, and ended: it sleeps in between
 * Bubbles lie on the machine, and members are spread. */
#include <forestgomp/sched.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

struct times {
	double slice;		/* microseconds of CPU time for each bubble at `depth` */
	double depth;
	double again;		/* the budget starts again so often */
	double sleeps;		/* microseconds that the daemon sleeps */
	double tells;
};
enum { BUDGETS = 1, ENDS = 2, IDLING = 4, DAEMON = 8 };

static double
us(void)
{
	return (double)fgomp_sched_now() / 1e3;
}

static bool
tells(const void *self, unsigned what)
{
	return (unsigned)((const struct times *)self)->tells & what;
}

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	const struct times *times = self;
	unsigned depth = 0;
	(void)range;
	for (struct fg_bubble *up = fgomp_entity_parent(fgomp_bubble_entity(bubble)); up;
	     up = fgomp_entity_parent(fgomp_bubble_entity(up)))
		depth++;
	if (tells(self, BUDGETS) && depth == (unsigned)times->depth)
		fgomp_bubble_set_slice(bubble, times->slice == 0 ? (double)NAN : times->slice * 1e-6);
	while (fgomp_queue_parent(leaf))
		leaf = fgomp_queue_parent(leaf);
	return leaf;
}

static bool
expired(void *self, struct fg_bubble *bubble)
{
	struct times *times = self;
	struct fgomp_tree_statistics sum;
	fgomp_tree_statistics(bubble, &sum);
	fprintf(stderr, "expired %.1f %u %u\n", us(), fgomp_bubble_size(bubble), sum.threads);
	return times->again-- > 0;
}

static void
begun(void *self, struct fg_bubble *bubble, unsigned number, struct fg_runqueue *leaf)
{
	fgomp_tree_lock();
	unsigned size = fgomp_bubble_thread(bubble, number) ? fgomp_bubble_size(bubble) : 0;
	fgomp_tree_unlock();
	if (tells(self, ENDS))
		fprintf(stderr, "begun %.1f %u %u %u\n", us(), size, number, fgomp_queue_first_pu(leaf));
}

static void
finished(void *self, struct fg_bubble *bubble, unsigned number, struct fg_runqueue *leaf)
{
	if (tells(self, ENDS))
		fprintf(stderr, "finished %.1f %u %u %u\n", us(), fgomp_bubble_size(bubble), number,
			fgomp_queue_first_pu(leaf));
}

static void
idles(void *self, struct fg_runqueue *leaf, uint64_t idle_for)
{
	if (tells(self, IDLING))
		fprintf(stderr, "idles %.1f %u %.1f\n", us(), fgomp_queue_first_pu(leaf), (double)idle_for / 1e3);
}

static void
rests(void *self)
{
	const struct times *times = self;
	if (!tells(self, DAEMON))
		return;
	double begin = us();
	long ns = (long)(times->sleeps * 1e3);
	nanosleep(&(struct timespec){ns / 1000000000, ns % 1000000000}, NULL);
	fprintf(stderr, "daemon %.1f %.1f\n", begin, us());
}

static const struct fgomp_sched_option options[] = {
	{"slice", "microseconds of CPU time", offsetof(struct times, slice), 1000, -1e9, 1e9, NULL},
	{"depth", "of the bubbles that have it", offsetof(struct times, depth), 1, 0, 9, NULL},
	{"again", "times that it starts again", offsetof(struct times, again), 0, 0, 1e9, NULL},
	{"sleeps", "microseconds", offsetof(struct times, sleeps), 0, 0, 1e9, NULL},
	{"tells", "1: budgets; 2: members; 4: idling; 8: daemon", offsetof(struct times, tells), 15, 0, 15, NULL},
	{0},
};

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "times",
	.summary = "tells what it is told of time",
	.size = sizeof(struct times),
	.options = options,
	.born = born,
	.expired = expired,
	.begun = begun,
	.finished = finished,
	.idles = idles,
	.idle_after = 3000000,
	.daemon = rests,
	.period = 5000000,
};
