/* A scheduler that stops or sends a third each of the members that begin, flat teams' too. Its daemon lets them go on.
 * The process ends where a member that begins is not in the tree, or a bubble that has ended is. */
#include <forestgomp/sched.h>

static void
begun(void *self, struct fg_bubble *bubble, unsigned number, struct fg_runqueue *leaf)
{
	struct fg_runqueue *top = leaf;
	uint64_t random = fgomp_sched_random();
	(void)self;
	while (fgomp_queue_parent(top))
		top = fgomp_queue_parent(top);
	fgomp_tree_lock();
	struct fg_entity *thread = fgomp_bubble_thread(bubble, number);
	if (!thread)
		__builtin_trap();
	if (random % 3 == 0)
		fgomp_thread_stop(thread);
	else if (random % 3 == 1 && fgomp_thread_may_move(thread))
		fgomp_thread_send(thread,
				  fgomp_queue_of_pu(top, (unsigned)(random >> 8) % fgomp_queue_n_pus(top)));
	fgomp_tree_unlock();
}

static void
ended(void *self, struct fg_bubble *bubble, struct fg_runqueue *leaf)
{
	(void)self;
	(void)leaf;
	fgomp_tree_lock();
	if (fgomp_bubble_size(bubble) != 0)
		__builtin_trap();
	fgomp_tree_unlock();
}

static void
go_on(const struct fg_bubble *above)
{
	for (struct fg_bubble *one = fgomp_tree_first(above); one; one = fgomp_tree_next(one)) {
		for (unsigned k = 0; k < fgomp_bubble_size(one); k++)
			if (fgomp_bubble_thread(one, k))
				fgomp_thread_go(fgomp_bubble_thread(one, k));
		go_on(one);
	}
}

static void
tend(void *self)
{
	(void)self;
	fgomp_tree_lock();
	go_on(NULL);
	fgomp_tree_unlock();
}

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "begins",
	.summary = "stops and sends members that begin",
	.begun = begun,
	.ended = ended,
	.daemon = tend,
	.period = 200000,
	.tree = true,
};
