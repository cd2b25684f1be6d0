/* Output of `forestgomp sim`: one run, and the list of machines. */
#include "sim.h"
#include "command.h"
#include "draw/json.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	printf("program's data: %llu lines of 64 bytes;  own cache: %.1f%%  shared cache: %.1f%%  another's: %.1f%%  local memory: %.1f%%",
	       (unsigned long long)all, percent * (double)outcome->lines_own, percent * (double)outcome->lines_shared,
	       percent * (double)other, percent * (double)outcome->lines_memory[0]);
	for (unsigned i = 1; i < SIM_DISTANCES; i++)
		if (outcome->lines_memory[i])
			printf("  %u link%s away: %.1f%%", i, i > 1 ? "s" : "",
			       percent * (double)outcome->lines_memory[i]);
	putchar('\n');
	print_distances("from another's cache", outcome->lines_other);
}

#define BAR 40

/* The bar has '#' for computing, 'm' for waits for memory, 'l' for waits for the runtime's lines, 's' for the system,
 * '.' for idle time. */
static void
print_bar(const struct sim_outcome *outcome, const struct sim_pu *pu)
{
	double ends[] = {share(pu->work, outcome), share(pu->memory, outcome), share(pu->lines, outcome),
			 share(pu->system, outcome)};
	double until = 0;
	int drawn = 0;
	for (unsigned i = 0; i < 4; i++) {
		until += ends[i];
		for (; drawn < BAR && drawn < (int)(until * BAR + 0.5); drawn++)
			putchar("#mls"[i]);
	}
	for (; drawn < BAR; drawn++)
		putchar('.');
}

static void
print_pus(const struct sim_outcome *outcome)
{
	printf("\n%4s %-*s %6s %6s %6s %6s %8s %8s %9s %9s\n", "PU", BAR, "computing #, memory m, lines l, system s",
	       "work", "memory", "lines", "system", "switches", "steals", "transfers", "remote");
	for (unsigned i = 0; i < outcome->n_pus; i++) {
		const struct sim_pu *pu = &outcome->pus[i];
		printf("%4u ", i);
		print_bar(outcome, pu);
		printf(" %5.1f%% %5.1f%% %5.1f%% %5.1f%% %8llu %8llu %9llu %9llu\n", 100 * share(pu->work, outcome),
		       100 * share(pu->memory, outcome), 100 * share(pu->lines, outcome),
		       100 * share(pu->system, outcome), (unsigned long long)pu->switches,
		       (unsigned long long)pu->steals, (unsigned long long)pu->transfers,
		       (unsigned long long)pu->remote);
	}
}

/* Without the run on one PU there is no speed-up. The figure in its place has a name of its own. */
static void
print_speedup(const struct sim_outcome *outcome, const struct sim_outcome *one)
{
	char text[32];
	if (!one)
		printf("PUs computing   %s%.2f%s on average\n", bold, share(sim_work(outcome), outcome), plain);
	else
		printf("speed-up        %s%.2f%s against one simulated PU (%s)\n", bold, share(one->time, outcome),
		       plain, sim_time_text(one->time, text, sizeof text));
}

void
sim_print_text(const struct fg_model *model, const struct sim_call *call, const struct sim_outcome *outcome,
	       const struct sim_outcome *one)
{
	char text[32];
	const char *why = not_repeatable(call, outcome, one);
	printf("\n%s%s%s: %u PUs%s\n", bold, model->name, plain, outcome->n_pus,
	       model->estimated ? " (what lines cost is estimated)" : "");
	printf("predicted time  %s%s%s\n", bold, sim_time_text(outcome->time, text, sizeof text), plain);
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
		printf(", \"speedup\": %.4f, \"one_pu_ns\": %llu, \"one_pu_work_ns\": %llu", share(one->time, outcome),
		       (unsigned long long)one->time, (unsigned long long)sim_work(one));
	else
		printf(", \"speedup\": null, \"one_pu_ns\": null, \"one_pu_work_ns\": null");
	printf(", \"pus_computing\": %.4f", share(sim_work(outcome), outcome));
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
	printf(", \"work_ns\": %llu, \"repeatable\": %s, \"hit\": %llu, \"corrected_ns\": %llu, \"watchdog\": %llu, \"status\": %d",
	       (unsigned long long)sim_work(outcome), why ? "false" : "true", (unsigned long long)outcome->hit,
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
		printf("%s\n {\"work_ns\": %llu, \"memory_ns\": %llu, \"lines_ns\": %llu, \"system_ns\": %llu, \"switches\": %llu, "
		       "\"sleeps\": %llu, \"steals\": %llu, \"task_steals\": %llu, \"migrations\": %llu, "
		       "\"transfers\": %llu, \"remote\": %llu}",
		       i ? "," : "", (unsigned long long)pu->work, (unsigned long long)pu->memory,
		       (unsigned long long)pu->lines, (unsigned long long)pu->system, (unsigned long long)pu->switches,
		       (unsigned long long)pu->sleeps, (unsigned long long)pu->steals,
		       (unsigned long long)pu->task_steals, (unsigned long long)pu->migrations,
		       (unsigned long long)pu->transfers, (unsigned long long)pu->remote);
	}
	puts("\n]}");
}

const char *
sim_shelf(void)
{
	static const char *const places[] = {"/../share/machines", "/../" FG_DATADIR "/forestgomp/machines"};
	static char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 256);
	if (length > 0) {
		path[length] = '\0';
		char *end = strrchr(path, '/');
		for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
			strcpy(end, places[i]);
			if (access(path, R_OK) == 0)
				return path;
		}
	}
	static const char installed[] = FG_PREFIX "/" FG_DATADIR "/forestgomp/machines";
	return access(installed, R_OK) == 0 ? installed : NULL;
}

static int
is_machine(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');
	return dot && strcmp(dot, ".machine") == 0;
}

static void
list_one(const char *folder, char *name, bool json, bool first)
{
	struct fg_model model;
	char path[8192];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	bool read = fg_model_read(&model, path);
	*strrchr(name, '.') = '\0';
	if (!read)
		complain("sim", "%s:%u: %s", path, model.line, model.why);
	else if (!json)
		printf("%-18s %4u PUs  %s\n", name, model.machine->n_pus, model.name);
	else {
		printf("%s\n {\"name\": ", first ? "" : ",");
		fg_json_string(stdout, name);
		printf(", \"pus\": %u, \"topology\": ", model.machine->n_pus);
		fg_json_string(stdout, model.topology);
		printf(", \"machine\": ");
		fg_json_string(stdout, model.name);
		putchar('}');
	}
	fg_model_free(&model);
}

int
sim_list(bool json)
{
	const char *folder = sim_shelf();
	struct dirent **entries;
	int n = folder ? scandir(folder, &entries, is_machine, alphasort) : -1;
	if (n < 0)
		return complain("sim", "the folder of machine files is not where it was built or installed; run `make`");
	if (json)
		putchar('[');
	for (int i = 0; i < n; i++)
		list_one(folder, entries[i]->d_name, json, i == 0);
	if (json)
		puts("\n]");
	return 0;
}
