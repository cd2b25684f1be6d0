/* A bubble scheduler that notes which PUs it is told of, for usable_pus.c. */
#include "../../include/forestgomp/sched.h"

unsigned usable_told, usable_now, usable_first_pu;

static void
changed(void *self, enum fgomp_change change, struct fg_runqueue *level)
{
	struct fg_runqueue *top = level;

	(void)self;
	if (change != FGOMP_CHANGE_MACHINE)
		return;
	while (fgomp_queue_parent(top))
		top = fgomp_queue_parent(top);
	usable_now = fgomp_queue_usable_pus(top);
	usable_first_pu = fgomp_queue_first_pu(level);
	__atomic_add_fetch(&usable_told, 1, __ATOMIC_RELEASE);
}

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI, .name = "notes", .summary = "notes which PUs come and go", .changed = changed};
