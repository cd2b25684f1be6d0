/* Output of `forestgomp sim`: one run. */
#include "sim.h"
#include "command.h"
#include "terminal.h"
#include "draw/json.h"
#include <stdlib.h>
#include <string.h>

const char *
sim_time_text(uint64_t ns, char *text, size_t size)
{
	if (ns < 10000)
		snprintf(text, size, "%llu ns", (unsigned long long)ns);
	else if (ns < 10000000)
		snprintf(text, size, "%.1f us", (double)ns / 1e3);
	else if (ns < UINT64_C(10000000000))
		snprintf(text, size, "%.2f ms", (double)ns / 1e6);
	else
		snprintf(text, size, "%.2f s", (double)ns / 1e9);
	return text;
}

static double
share(uint64_t part, const struct sim_outcome *outcome)
{
	return outcome->time ? (double)part / (double)outcome->time : 0;
}

static const char *
not_repeatable(const struct sim_call *call, const struct sim_outcome *outcome, const struct sim_outcome *one)
{
	if (!call->given)
		return "computing was timed";
	return outcome->preempted || (one && one->preempted)
		       ? "the watchdog had to step in: the program computes or waits in its own code"
		       : NULL;
}

static void
print_distances(const char *what, const uint64_t *counts)
{
	if (!sim_sum(counts))
		return;
	printf("%s by distance:", what);
	for (unsigned i = 0; i < SIM_DISTANCES; i++)
		if (counts[i])
			printf("  %u: %llu", i, (unsigned long long)counts[i]);
	putchar('\n');
}

/* Tells where the program's data came from. */
static void
print_lines(const struct sim_outcome *outcome)
{
	uint64_t other = sim_sum(outcome->lines_other),
		 all = outcome->lines_own + outcome->lines_shared + other + sim_sum(outcome->lines_memory);
	if (!all)
		return;
	double percent = 100 / (double)all;
	printf("program's data: %llu lines of 64 bytes;  own cache: %.1f%%  shared cache: %.1f%%  another's: %.1f%%  "
	       "local memory: %.1f%%",
	       (unsigned long long)all, percent * (double)outcome->lines_own, percent * (double)outcome->lines_shared,
	       percent * (double)other, percent * (double)outcome->lines_memory[0]);
	for (unsigned i = 1; i < SIM_DISTANCES; i++)
		if (outcome->lines_memory[i])
			printf("  %u link%s away: %.1f%%", i, i > 1 ? "s" : "",
			       percent * (double)outcome->lines_memory[i]);
	putchar('\n');
	print_distances("from another's cache", outcome->lines_other);
}

/* What a PU's time is used for. The rest is idle. */
#define KINDS 6
static const struct {
	char letter;
	const char *column, *text;
} kinds[KINDS] = {{'#', "work", "computing"}, {'r', "runtime", "runtime's code"}, {'w', "search", "looking for work"},
		  {'m', "memory", "memory"},  {'l', "lines", "runtime's lines"},  {'s', "system", "system"}};

static void
kinds_of(const struct sim_pu *pu, uint64_t *ns)
{
	const uint64_t all[KINDS] = {pu->work, pu->runtime, pu->search, pu->memory, pu->lines, pu->system};
	memcpy(ns, all, sizeof all);
}

static void
print_bar(const struct sim_outcome *outcome, const uint64_t *ns, int width)
{
	double until = 0;
	int drawn = 0;
	for (unsigned i = 0; i < KINDS; i++) {
		until += share(ns[i], outcome);
		for (; drawn < width && drawn < (int)(until * width + 0.5); drawn++)
			putchar(kinds[i].letter);
	}
	for (; drawn < width; drawn++)
		putchar('.');
}

/* The columns of one row. A narrow terminal gets a shorter bar, and after that no counters. */
struct layout {
	int bar;
	bool counters;
};

static struct layout
layout_for(unsigned columns)
{
	enum { BAR = 40, LEAST = 10, SHARES = 5 + 8 * KINDS, COUNTERS = 38 };
	if (!columns || columns >= SHARES + COUNTERS + BAR)
		return (struct layout){BAR, true};
	if (columns >= SHARES + COUNTERS + LEAST)
		return (struct layout){(int)columns - SHARES - COUNTERS, true};
	int bar = (int)columns - SHARES;
	return (struct layout){bar > BAR ? BAR : bar > LEAST ? bar : LEAST, false};
}

static void
print_pu(const struct sim_outcome *outcome, unsigned i, struct layout layout)
{
	const struct sim_pu *pu = &outcome->pus[i];
	uint64_t ns[KINDS];
	kinds_of(pu, ns);
	printf("%4u ", i);
	print_bar(outcome, ns, layout.bar);
	for (unsigned kind = 0; kind < KINDS; kind++)
		printf("  %5.1f%%", 100 * share(ns[kind], outcome));
	if (layout.counters)
		printf(" %8llu %8llu %9llu %9llu", (unsigned long long)pu->switches, (unsigned long long)pu->steals,
		       (unsigned long long)pu->transfers, (unsigned long long)pu->remote);
	putchar('\n');
}

static void
print_pus(const struct sim_outcome *outcome)
{
	struct layout layout = layout_for(terminal_columns());
	printf("\n%4s %-*s", "PU", layout.bar, "time");
	for (unsigned kind = 0; kind < KINDS; kind++)
		printf(" %7s", kinds[kind].column);
	printf("%s\n", layout.counters ? " switches   steals transfers    remote" : "");
	for (unsigned i = 0; i < outcome->n_pus; i++)
		print_pu(outcome, i, layout);
}

/* The shares of all PUs' time, which are also the key to the bars. */
static void
print_shares(const struct sim_outcome *outcome)
{
	uint64_t sum[KINDS] = {0}, ns[KINDS];
	double idle = 1;
	for (unsigned i = 0; i < outcome->n_pus; i++) {
		kinds_of(&outcome->pus[i], ns);
		for (unsigned kind = 0; kind < KINDS; kind++)
			sum[kind] += ns[kind];
	}
	printf("time of PUs    ");
	for (unsigned kind = 0; kind < KINDS; kind++) {
		double part = share(sum[kind], outcome) / outcome->n_pus;
		idle -= part;
		printf("%s%s %c %.1f%%",
		       kind == 3 ? ",\n                "
		       : kind	 ? ", "
				 : " ",
		       kinds[kind].text, kinds[kind].letter, 100 * part);
	}
	printf(", idle . %.1f%%\n", idle > 0 ? 100 * idle : 0);
}

/* Without the run on one PU there is no speed-up. The figure in its place has a name of its own. */
static void
print_speedup(const struct sim_outcome *outcome, const struct sim_outcome *one)
{
	char text[32];
	if (!one)
		printf("PUs computing   %s%.2f%s on average\n", bold, share(sim_work(outcome), outcome), plain);
	else {
		bool spread = outcome->runs > 1 && one != outcome;
		printf("speed-up        %s%.2f%s", bold, share(one->time, outcome), plain);
		if (spread)
			printf(" (%.2f to %.2f)", (double)one->least / (double)outcome->most,
			       (double)one->most / (double)outcome->least);
		printf(" against one simulated PU (%s", sim_time_text(one->time, text, sizeof text));
		if (spread) {
			printf(", from %s", sim_time_text(one->least, text, sizeof text));
			printf(" to %s", sim_time_text(one->most, text, sizeof text));
		}
		puts(")");
	}
}

static void
print_time(const struct sim_outcome *outcome)
{
	char text[32], least[32], most[32];
	printf("predicted time  %s%s%s", bold, sim_time_text(outcome->time, text, sizeof text), plain);
	if (outcome->runs > 1)
		printf(": the median of %u runs, from %s to %s", outcome->runs,
		       sim_time_text(outcome->least, least, sizeof least),
		       sim_time_text(outcome->most, most, sizeof most));
	putchar('\n');
}

void
sim_print_text(const struct fg_model *model, const struct sim_call *call, const struct sim_outcome *outcome,
	       const struct sim_outcome *one)
{
	char text[32];
	const char *why = not_repeatable(call, outcome, one);
	printf("\n%s%s%s: %u PUs%s\n", bold, model->name, plain, outcome->n_pus,
	       model->estimated ? " (what lines cost is estimated)" : "");
	print_time(outcome);
	print_speedup(outcome, one);
	printf("utilisation     %.1f%%\n",
	       outcome->n_pus ? 100 * share(sim_busy(outcome), outcome) / outcome->n_pus : 0);
	if (one && sim_baseline_outgrown(one, sim_work(outcome)))
		sim_baseline_print_growth(one, sim_work(outcome), "");
	if (outcome->hit)
		printf("involuntary switches of the real machine: %llu stretches of computing were hit, %s taken off\n",
		       (unsigned long long)outcome->hit, sim_time_text(outcome->corrected, text, sizeof text));
	if (outcome->preempted)
		printf("the watchdog stepped in %llu times\n", (unsigned long long)outcome->preempted);
	printf("repeatable      %s%s\n", why ? "no: " : "yes, with this seed", why ? why : "");
	print_distances("steals", outcome->steals);
	print_distances("tasks stolen", outcome->task_steals);
	print_distances("migrations", outcome->migrations);
	print_distances("line transfers", outcome->transfers);
	print_lines(outcome);
	print_shares(outcome);
	print_pus(outcome);
}

static void
json_distances(const char *what, const uint64_t *counts)
{
	const char *comma = "";
	printf(", \"%s\": {", what);
	for (unsigned i = 0; i < SIM_DISTANCES; i++)
		if (counts[i]) {
			printf("%s\"%u\": %llu", comma, i, (unsigned long long)counts[i]);
			comma = ", ";
		}
	putchar('}');
}

static void
json_speedup(const struct sim_outcome *outcome, const struct sim_outcome *one)
{
	if (one)
		printf(", \"speedup\": %.4f, \"one_pu_ns\": %llu, \"one_pu_least_ns\": %llu, \"one_pu_most_ns\": %llu, "
		       "\"one_pu_work_ns\": %llu",
		       share(one->time, outcome), (unsigned long long)one->time, (unsigned long long)one->least,
		       (unsigned long long)one->most, (unsigned long long)sim_work(one));
	else
		printf(", \"speedup\": null, \"one_pu_ns\": null, \"one_pu_work_ns\": null");
	printf(", \"pus_computing\": %.4f", share(sim_work(outcome), outcome));
	printf(", \"runs\": %u, \"time_least_ns\": %llu, \"time_most_ns\": %llu", outcome->runs,
	       (unsigned long long)outcome->least, (unsigned long long)outcome->most);
}

void
sim_print_json(const struct fg_model *model, const struct sim_call *call, const struct sim_outcome *outcome,
	       const struct sim_outcome *one)
{
	const char *why = not_repeatable(call, outcome, one);
	printf("{\"machine\": ");
	fg_json_string(stdout, model->name);
	printf(", \"pus\": %u, \"time_ns\": %llu", outcome->n_pus, (unsigned long long)outcome->time);
	json_speedup(outcome, one);
	printf(", \"work_ns\": %llu, \"runtime_ns\": %llu, \"search_ns\": %llu, \"repeatable\": %s, \"hit\": %llu, "
	       "\"corrected_ns\": %llu, \"watchdog\": %llu, \"status\": %d",
	       (unsigned long long)sim_work(outcome), (unsigned long long)sim_runtime(outcome),
	       (unsigned long long)sim_search(outcome), why ? "false" : "true", (unsigned long long)outcome->hit,
	       (unsigned long long)outcome->corrected, (unsigned long long)outcome->preempted, outcome->status);
	json_distances("steals", outcome->steals);
	json_distances("task_steals", outcome->task_steals);
	json_distances("migrations", outcome->migrations);
	json_distances("transfers", outcome->transfers);
	printf(", \"lines\": {\"own\": %llu, \"shared\": %llu", (unsigned long long)outcome->lines_own,
	       (unsigned long long)outcome->lines_shared);
	json_distances("other", outcome->lines_other);
	json_distances("memory", outcome->lines_memory);
	printf("}, \"per_pu\": [");
	for (unsigned i = 0; i < outcome->n_pus; i++) {
		const struct sim_pu *pu = &outcome->pus[i];
		printf("%s\n {\"work_ns\": %llu, \"runtime_ns\": %llu, \"search_ns\": %llu, \"memory_ns\": %llu, "
		       "\"lines_ns\": %llu, \"system_ns\": %llu, \"switches\": %llu, \"sleeps\": %llu, \"steals\": "
		       "%llu, \"task_steals\": %llu, \"migrations\": %llu, \"transfers\": %llu, \"remote\": %llu}",
		       i ? "," : "", (unsigned long long)pu->work, (unsigned long long)pu->runtime,
		       (unsigned long long)pu->search, (unsigned long long)pu->memory, (unsigned long long)pu->lines,
		       (unsigned long long)pu->system, (unsigned long long)pu->switches, (unsigned long long)pu->sleeps,
		       (unsigned long long)pu->steals, (unsigned long long)pu->task_steals,
		       (unsigned long long)pu->migrations, (unsigned long long)pu->transfers,
		       (unsigned long long)pu->remote);
	}
	puts("\n]}");
}
