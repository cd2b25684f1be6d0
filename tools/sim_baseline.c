/* The baseline of speed-ups: the same program on one PU of the same machine. */
#include "sim.h"
#include "command.h"

bool
sim_baseline_run(const struct sim_call *call, unsigned n, struct sim_outcome *one, int *status)
{
	struct sim_call alone = *call;
	alone.n_pus = 1;
	alone.output = SIM_SILENCE;
	alone.input_again = true;
	return sim_run_repeated(&alone, n, one, status);
}

bool
sim_baseline_valid(const struct sim_outcome *one, int status)
{
	return one->complete && !one->input_missed && one->status == status && sim_work(one) > 0;
}

void
sim_baseline_complain(const struct sim_outcome *one, int status)
{
	if (one->input_missed)
		complain("sim",
			 "no speed-up: the run on one PU needs standard input again; give it as a file (< FILE)");
	else if (one->complete && one->status == status)
		complain("sim", "no speed-up: the program computes nothing; with --given, it must tell its work by "
				"fgomp_sim_work()");
	else
		complain("sim",
			 "no speed-up: the run on one PU %s (exit status %d); --cores 1 shows it, --no-baseline leaves "
			 "it out",
			 one->complete ? "ended differently" : "left no report", one->status);
}

bool
sim_baseline_outgrown(const struct sim_outcome *one, uint64_t work)
{
	return work > sim_work(one) + sim_work(one) / 5;
}

void
sim_baseline_print_growth(const struct sim_outcome *one, uint64_t work, const char *where)
{
	char before[32], after[32];
	printf("warning: computing grew from %s to %s%s, because of colder caches of this machine, slower shared "
	       "cores, or more work for more threads\n",
	       sim_time_text(sim_work(one), before, sizeof before), sim_time_text(work, after, sizeof after), where);
}
