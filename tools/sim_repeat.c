/* Repeated runs: the median and the spread. Each run has another seed. */
#include "sim.h"
#include "command.h"
#include <stdlib.h>

static int
by_time(const void *a, const void *b)
{
	const struct sim_outcome *x = a, *y = b;
	return (x->time > y->time) - (x->time < y->time);
}

/* One run that has failed makes the whole fail. Returns its exit status. */
static int
first_status(const struct sim_outcome *all, unsigned n, unsigned *bad)
{
	int first = 0;
	for (unsigned i = 0; i < n; i++) {
		*bad += all[i].status != 0;
		first = first ? first : all[i].status;
	}
	return first;
}

void
sim_tell_status(const struct sim_outcome *outcome, const char *where)
{
	if (outcome->bad && outcome->runs > 1)
		complain("sim", "%s%u of %u runs failed, the first one with exit status %d", where, outcome->bad,
			 outcome->runs, outcome->status);
	else if (outcome->bad)
		complain("sim", "%sthe program ended with exit status %d", where, outcome->status);
}

/* The program's output is of the last run. */
static bool
run_one(const struct sim_call *call, unsigned i, unsigned n, struct sim_outcome *outcome, int *status)
{
	struct sim_call again = *call;
	char seed[24];
	snprintf(seed, sizeof seed, "%lu", strtoul(call->seed, NULL, 10) % UINT32_MAX + i);
	again.seed = i ? seed : call->seed;
	if (i + 1 < n) {
		again.output = SIM_SILENCE;
		again.input_again = true;
	}
	return sim_run(&again, outcome, status);
}

bool
sim_run_repeated(const struct sim_call *call, unsigned n, struct sim_outcome *outcome, int *status)
{
	struct sim_outcome *all = calloc(n = n ? n : 1, sizeof *all);
	unsigned done = 0;
	bool ran = true;
	while (all && ran && done < n) {
		ran = run_one(call, done, n, &all[done], status);
		done += ran;
		if (ran && !all[done - 1].complete)
			break;
	}
	bool whole = done == n && all[n - 1].complete;
	unsigned bad = 0;
	int first = first_status(all, done, &bad);
	if (whole)
		qsort(all, n, sizeof *all, by_time);
	unsigned shown = whole ? n / 2 : done - (done > 0);
	*outcome = all[shown];
	if (whole)
		outcome->status = first;
	outcome->bad = bad;
	outcome->runs = done;
	outcome->least = whole ? all[0].time : 0;
	outcome->most = whole ? all[n - 1].time : 0;
	for (unsigned i = 0; i < done; i++)
		if (i != shown)
			sim_outcome_free(&all[i]);
	free(all);
	return ran;
}
