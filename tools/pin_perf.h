/* Samples that `perf` has taken of loads and stores while a program wrote its trace (command; called by pin_plan.c).
 *
 * The trace tells which kernel thread carries a worker, and which member runs on that worker. Both clocks are
 * CLOCK_MONOTONIC, so the kernel thread and the time of a sample name the member. The samples become events `use` of
 * the trace, as if the runtime had sampled them. Samples within waits at barriers are left out. */
#pragma once
#include "draw/story.h"
#include <stdbool.h>

struct pin_perf {
	const char *path;
	const char *trace;   /* its path */
	uint64_t read, used; /* samples of loads and stores; of these: of members */
};

/* The events of other recorders are removed. Returns 0, or an exit status after a message. */
int pin_perf_add(struct pin_perf *perf, struct fg_trace *trace, const struct fg_story *story);
