/* A bubble scheduler that has book kept of memory, for pthread_end.c. */
#include "../../include/forestgomp/sched.h"

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI, .name = "areas", .summary = "has book kept of memory", .areas = true};
