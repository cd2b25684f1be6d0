/* `forestgomp sim`: runs a program as if on another machine; tables of policies and numbers of cores. */
#include "sim.h"
#include "command.h"
#include "draw/json.h"
#include "base/options.h"
#include "draw/curve_svg.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
	"Usage: forestgomp sim --machine MACHINE [OPTIONS] PROGRAM [ARGUMENTS]\n\n"
	"Runs PROGRAM, built by gcc with -fopenmp, on the unmodified runtime as if on MACHINE, and tells the time that it would take\n"
	"there, how busy each PU is, and what moves between them. Its computing is timed on this machine (or given), what passes\n"
	"between PUs is charged by the machine's figures. docs/simulator.md has the model of cost, and what is not covered.\n\n"
	"  -m, --machine M      a name out of --list, a machine file, an hwloc XML file (*.xml), or a list such as\n"
	"                       'numa:4 l3:1 core:4' with the levels node, package, die, group, l3, l2, core, pu\n"
	"      --cores N        the same machine with N PUs: cut down, or with more of its outermost level\n"
	"      --sched POLICY   bubble scheduler, as FGOMP_SCHED\n"
	"      --seed N         decides who goes first among equals in time; default: 1\n"
	"      --given          only what the program gives with fgomp_sim_work(), _read() and _write() counts: exactly repeatable\n"
	"      --baseline       run it on one simulated PU, too: the speed-up is against that, not against the sum of computing\n"
	"      --compare P,...  a table of policies\n"
	"      --sweep cores=A..B[,STEP]  a table over numbers of PUs, doubling, or in steps; with --compare: for each policy\n"
	"      --svg FILE       draw the curves of --sweep\n"
	"      --json           print the result as JSON; what the program prints goes to standard error\n"
	"      --list           the machines that are there\n"
	"      --calibrate      measure what lines, memory, switches, wake-ups cost on this machine; prints a machine file\n"
	"      --               what follows is the program, even if it starts with a dash\n\n"
	"Exit status: the program's; 127 if there is no such program, 126 if it cannot be run, 2 if the call is wrong, 1 if it left no\n"
	"report.\n";

#define POINTS 64
#define POLICIES 16

struct request {
	struct sim_call call;
	struct fg_model model;
	char *compare[POLICIES];
	unsigned n_compare;
	unsigned sweep[POINTS], n_sweep;
	const char *svg;
	bool json, baseline;
};

/* Returns the file of a machine that we deliver, else the name itself. */
static const char *
machine_path(const char *name)
{
	const char *shelf = sim_shelf();
	char *path;
	if (strpbrk(name, "/: ") || !shelf || asprintf(&path, "%s/%s.machine", shelf, name) < 0)
		return name;
	return access(path, R_OK) == 0 ? path : name;
}

static bool
valid_policy(const char *name)
{
	return fg_option_set(&fg_option_table[FG_OPTION_sched], name);
}

static int
take_compare(struct request *request, const char *list)
{
	char *saved, *copy = strdup(list);
	for (char *name = strtok_r(copy, ",", &saved); name; name = strtok_r(NULL, ",", &saved)) {
		if (!valid_policy(name))
			return complain("sim", "--compare: no policy is called '%s'; accepted: %s", name,
					fg_option_table[FG_OPTION_sched].accepted);
		if (request->n_compare == POLICIES)
			return complain("sim", "--compare: more than %d policies", POLICIES);
		request->compare[request->n_compare++] = name;
	}
	return request->n_compare ? 0
				  : complain("sim", "--compare: which policies? accepted: %s",
					     fg_option_table[FG_OPTION_sched].accepted);
}

static int
take_sweep(struct request *request, const char *text)
{
	unsigned from, to, step = 0;
	int used = 0;
	bool steps = sscanf(text, "cores=%u..%u,%u%n", &from, &to, &step, &used) == 3 && !text[used] && step;
	bool doubling = !steps && (used = 0, sscanf(text, "cores=%u..%u%n", &from, &to, &used) == 2) && !text[used];
	if (!(steps || doubling) || from < 1 || to < from || to > FG_MODEL_PUS)
		return complain(
			"sim",
			"--sweep %s is not valid; accepted: cores=A..B or cores=A..B,STEP with 1 <= A <= B <= %d", text,
			FG_MODEL_PUS);
	for (unsigned n = from; n <= to; n = steps ? n + step : 2 * n) {
		if (request->n_sweep == POINTS)
			return complain("sim", "--sweep %s: more than %d points", text, POINTS);
		request->sweep[request->n_sweep++] = n;
	}
	return 0;
}

static int
take_number(const char *name, const char *text, unsigned long most, unsigned long *number)
{
	char *end;
	*number = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || *number > most || *number < 1)
		return complain("sim", "--%s %s is not a number from 1 to %lu", name, text, most);
	return 0;
}

/* Returns 0 for a valid option, > 0 for a wrong one after a message, < 0 for one that is not of this command. */
static int
take_option(int argc, char **argv, int *i, struct request *request)
{
	const char *missing = NULL, *value;
	struct sim_call *call = &request->call;
	unsigned long number;
	int status = 0;
	if (!strcmp(argv[*i], "--given"))
		call->given = true;
	else if (!strcmp(argv[*i], "--baseline"))
		request->baseline = true;
	else if (!strcmp(argv[*i], "--json"))
		request->json = true;
	else if ((value = option_value(argc, argv, i, "machine", 'm', &missing)))
		call->machine = machine_path(value);
	else if ((value = option_value(argc, argv, i, "cores", 0, &missing))) {
		status = take_number("cores", value, FG_MODEL_PUS, &number);
		call->n_pus = (unsigned)number;
	} else if ((value = option_value(argc, argv, i, "sched", 0, &missing))) {
		call->sched = value;
		if (!valid_policy(value))
			status = complain("sim", "--sched %s is not valid; accepted: %s", value,
					  fg_option_table[FG_OPTION_sched].accepted);
	} else if ((value = option_value(argc, argv, i, "seed", 0, &missing))) {
		call->seed = value;
		status = take_number("seed", value, UINT32_MAX, &number);
	} else if ((value = option_value(argc, argv, i, "compare", 0, &missing)))
		status = take_compare(request, value);
	else if ((value = option_value(argc, argv, i, "sweep", 0, &missing)))
		status = take_sweep(request, value);
	else if ((value = option_value(argc, argv, i, "svg", 0, &missing)))
		request->svg = value;
	else if (missing)
		status = complain("sim", "%s needs a value", missing);
	else
		status = -1;
	return status;
}

static int
no_report(const struct sim_outcome *outcome)
{
	if (!outcome->failed)
		complain("sim",
			 "the program left no report: it ended by _exit, a signal or exec, or it is linked without libgomp.so.1 and the C "
			 "library's loader (exit status %d)",
			 outcome->status);
	return outcome->status ? outcome->status : 1;
}

/* Returns the time on one PU. If the run fails, returns 0 and sets *status. */
static uint64_t
base_time(const struct request *request, int *status)
{
	struct sim_call call = request->call;
	struct sim_outcome outcome;
	call.n_pus = 1;
	call.output = SIM_HIDE;
	uint64_t time = 0;
	if (sim_run(&call, &outcome, status)) {
		if (outcome.complete)
			time = outcome.time;
		else
			*status = no_report(&outcome);
	}
	sim_outcome_free(&outcome);
	return time;
}

static int
run_once(struct request *request)
{
	struct sim_outcome outcome;
	int status = 0;
	uint64_t base = request->baseline ? base_time(request, &status) : 0;
	if (status)
		return status;
	request->call.output = request->json ? SIM_TO_STDERR : SIM_SHOW;
	if (!sim_run(&request->call, &outcome, &status))
		return status;
	if (!outcome.complete)
		status = no_report(&outcome);
	else {
		(request->json ? sim_print_json : sim_print_text)(&request->model, &request->call, &outcome, base);
		status = outcome.status;
	}
	sim_outcome_free(&outcome);
	return status;
}

static void
progress(unsigned done, unsigned all, const char *what)
{
	enum { WIDTH = 30 };
	if (!isatty(STDERR_FILENO))
		return;
	unsigned filled = done * WIDTH / all;
	fprintf(stderr, "\r\033[K[%.*s%*s] %u/%u %s", (int)filled, "##############################",
		(int)(WIDTH - filled), "", done, all, what);
	if (done == all)
		fputs("\r\033[K", stderr);
}

struct cell {
	uint64_t time;
	double busy; /* the fraction of the PUs' time */
	uint64_t steals, migrations;
};

static int
run_cell(const struct request *request, const char *sched, unsigned n_pus, struct cell *cell)
{
	struct sim_call call = request->call;
	struct sim_outcome outcome;
	int status = 0;
	call.output = SIM_HIDE;
	call.sched = sched;
	call.n_pus = n_pus;
	if (!sim_run(&call, &outcome, &status))
		return status;
	if (!outcome.complete)
		status = no_report(&outcome);
	*cell = (struct cell){
		.time = outcome.time, .steals = sim_sum(outcome.steals), .migrations = sim_sum(outcome.migrations)};
	if (outcome.time)
		cell->busy = (double)sim_busy(&outcome) / (double)outcome.time / outcome.n_pus;
	sim_outcome_free(&outcome);
	return status;
}

static void
print_table(const struct request *request, const struct cell *cells, uint64_t base)
{
	char text[32];
	printf("%s%s%s\non one PU %s\n\n", bold, request->model.name, plain, sim_time_text(base, text, sizeof text));
	printf("%-12s %6s %12s %9s %6s %9s %11s\n", "policy", "PUs", "time", "speed-up", "busy", "steals", "migrations");
	for (unsigned p = 0; p < request->n_compare; p++)
		for (unsigned s = 0; s < request->n_sweep; s++) {
			const struct cell *cell = &cells[p * request->n_sweep + s];
			if (cell->time)
				printf("%-12s %6u %12s %9.2f %5.0f%% %9llu %11llu\n", request->compare[p],
				       request->sweep[s], sim_time_text(cell->time, text, sizeof text),
				       (double)base / (double)cell->time, 100 * cell->busy,
				       (unsigned long long)cell->steals, (unsigned long long)cell->migrations);
		}
}

static void
print_table_json(const struct request *request, const struct cell *cells, uint64_t base)
{
	const char *comma = "";
	printf("{\"machine\": ");
	fg_json_string(stdout, request->model.name);
	printf(", \"one_pu_ns\": %llu, \"runs\": [", (unsigned long long)base);
	for (unsigned p = 0; p < request->n_compare; p++)
		for (unsigned s = 0; s < request->n_sweep; s++) {
			const struct cell *cell = &cells[p * request->n_sweep + s];
			if (!cell->time)
				continue;
			printf("%s\n {\"policy\": ", comma);
			fg_json_string(stdout, request->compare[p]);
			printf(", \"pus\": %u, \"time_ns\": %llu, \"speedup\": %.4f, \"busy\": %.4f, \"steals\": %llu, "
			       "\"migrations\": %llu}",
			       request->sweep[s], (unsigned long long)cell->time, (double)base / (double)cell->time,
			       cell->busy, (unsigned long long)cell->steals, (unsigned long long)cell->migrations);
			comma = ",";
		}
	puts("\n]}");
}

static int
draw(const struct request *request, const struct cell *cells, uint64_t base)
{
	double x[POINTS], y[POLICIES][POINTS];
	struct fg_curve curves[POLICIES];
	for (unsigned p = 0; p < request->n_compare; p++) {
		for (unsigned s = 0; s < request->n_sweep; s++) {
			uint64_t time = cells[p * request->n_sweep + s].time;
			x[s] = request->sweep[s];
			y[p][s] = time ? (double)base / (double)time : -1;
		}
		curves[p] = (struct fg_curve){request->compare[p], request->n_sweep, x, y[p]};
	}
	FILE *file = strcmp(request->svg, "-") == 0 ? stdout : fopen(request->svg, "w");
	if (!file) {
		complain("sim", "cannot write '%s': %s", request->svg, strerror(errno));
		return 1;
	}
	fg_draw_speedups(request->model.name, curves, request->n_compare, file);
	if (file != stdout)
		fclose(file);
	return 0;
}

/* Leaves out sizes that the machine cannot have, with a message. */
static void
drop_misfits(struct request *request)
{
	unsigned kept = 0;
	for (unsigned s = 0; s < request->n_sweep; s++) {
		struct fg_model model;
		if (fg_model_read(&model, request->call.machine) && fg_model_resize(&model, request->sweep[s]))
			request->sweep[kept++] = request->sweep[s];
		else
			complain("sim", "%u PUs are left out: %s", request->sweep[s], model.why);
		fg_model_free(&model);
	}
	request->n_sweep = kept;
}

static int
run_table(struct request *request)
{
	if (!request->n_compare) {
		char *usual = strdup(request->call.sched     ? request->call.sched
				     : getenv("FGOMP_SCHED") ? getenv("FGOMP_SCHED")
							     : "default");
		request->compare[request->n_compare++] = usual;
	}
	if (request->n_sweep)
		drop_misfits(request);
	else
		request->sweep[request->n_sweep++] = request->model.machine->n_pus;
	unsigned n = request->n_compare * request->n_sweep, done = 0;
	struct cell *cells = calloc(n + 1, sizeof *cells);
	int status = 0;
	progress(done, n + 1, "on one PU");
	uint64_t base = base_time(request, &status);
	for (unsigned p = 0; !status && p < request->n_compare; p++)
		for (unsigned s = 0; !status && s < request->n_sweep; s++) {
			char what[64];
			snprintf(what, sizeof what, "%s on %u PUs", request->compare[p], request->sweep[s]);
			progress(++done, n + 1, what);
			status = run_cell(request, request->compare[p], request->sweep[s],
					  &cells[p * request->n_sweep + s]);
		}
	progress(n + 1, n + 1, "");
	if (!status) {
		(request->json ? print_table_json : print_table)(request, cells, base);
		if (request->svg)
			status = draw(request, cells, base);
	}
	free(cells);
	return status;
}

static int
run_request(struct request *request)
{
	struct sim_call *call = &request->call;
	if (!call->machine)
		return complain(
			"sim",
			"which machine? --machine 'numa:4 l3:1 core:4', a file, or a name out of `forestgomp sim --list`");
	if (!fg_model_read(&request->model, call->machine) ||
	    (call->n_pus && !fg_model_resize(&request->model, call->n_pus))) {
		const struct fg_model *model = &request->model;
		if (model->line)
			return complain("sim", "%s:%u: %s", call->machine, model->line, model->why);
		return complain(
			"sim",
			"--machine %s: %s; accepted: a name out of `forestgomp sim --list`, a machine file, an hwloc XML file "
			"(*.xml), or a list such as 'numa:4 l3:1 core:4'",
			call->machine, model->why);
	}
	if (request->svg && !request->n_sweep)
		return complain("sim", "--svg draws the curves of --sweep cores=A..B");
	const char *kind = getenv("FGOMP_THREADS");
	if (kind && !strcasecmp(kind, "kernel"))
		return complain("sim", "FGOMP_THREADS=kernel cannot be simulated: all PUs are on one kernel thread");
	return request->n_sweep || request->n_compare ? run_table(request) : run_once(request);
}

int
command_sim(int argc, char **argv)
{
	struct request request = {.call = {.seed = "1"}};
	bool list = false;
	int i;
	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			fputs(help, stdout);
			return 0;
		}
		if (!strcmp(argv[i], "--calibrate"))
			return sim_calibrate();
		list = list || !strcmp(argv[i], "--list");
		int status = strcmp(argv[i], "--list") ? take_option(argc, argv, &i, &request) : 0;
		if (status < 0)
			return complain("sim", "no option is called '%s'; `forestgomp sim --help` lists them", argv[i]);
		if (status > 0)
			return status;
	}
	if (list)
		return sim_list(request.json);
	if (i >= argc)
		return complain("sim", "which program? `forestgomp sim --help` tells how");
	request.call.program = argv + i;
	return run_request(&request);
}
