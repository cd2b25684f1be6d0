/* A bubble scheduler that has page faults counted, of each PU and of each thread, for closed_files.c. */
#include "../../include/forestgomp/sched.h"

static void
counters(void *self, struct fgomp_counters *wanted)
{
	(void)self;
	*wanted = (struct fgomp_counters){.event = FGOMP_PAGE_FAULTS, .threshold = 1e9, .period = 2000000};
}

static enum fgomp_measure
measures(void *self)
{
	(void)self;
	return FGOMP_MEASURE_EVENTS;
}

const struct fgomp_sched fgomp_sched_plugin = {.abi = FGOMP_SCHED_ABI,
					       .name = "counts",
					       .summary = "has page faults counted",
					       .measures = measures,
					       .counters = counters};
