/* A bad scheduler: its daemon stops each thread of the nested regions that it finds, and never lets one go. */
#include <forestgomp/sched.h>

static void
stops(void *self)
{
	(void)self;
	fgomp_tree_lock();
	for (struct fg_bubble *flat = fgomp_tree_first(NULL); flat; flat = fgomp_tree_next(flat))
		for (struct fg_bubble *in = fgomp_tree_first(flat); in; in = fgomp_tree_next(in))
			for (unsigned k = 0; k < fgomp_bubble_size(in); k++)
				if (fgomp_bubble_thread(in, k))
					fgomp_thread_stop(fgomp_bubble_thread(in, k));
	fgomp_tree_unlock();
}

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "stops",
	.summary = "stops all threads",
	.daemon = stops,
	.tree = true,
};
