/* `forestgomp sim`: runs a program as if on another machine. Its options, and one run. */
#include "sim.h"
#include "command.h"
#include "base/options.h"
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
	"      --no-baseline    do not run it on one simulated PU first: then there is no speed-up\n"
	"      --compare P,...  a table of policies; on one PU it runs under the first, or under --sched\n"
	"      --sweep cores=A..B[,STEP]  a table over numbers of PUs, doubling, or in steps; with --compare: for each policy\n"
	"      --svg FILE       draw the curves of --sweep\n"
	"      --json           print the result as JSON; what the program prints goes to standard error\n"
	"      --list           the machines that are there\n"
	"      --calibrate      measure what lines, memory, switches, wake-ups cost on this machine; prints a machine file\n"
	"      --               what follows is the program, even if it starts with a dash\n\n"
	"The run on one PU comes first and is not seen. It reads the same standard input if that is a file, else one empty line.\n\n"
	"Exit status: the program's; 127 if there is no such program, 126 if it cannot be run, 2 if the call is wrong, 1 if it left no\n"
	"report.\n";

const char *
sim_machine_path(const char *name)
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
take_compare(struct sim_request *request, const char *list)
{
	char *saved, *copy = strdup(list);
	for (char *name = strtok_r(copy, ",", &saved); name; name = strtok_r(NULL, ",", &saved)) {
		if (!valid_policy(name))
			return complain("sim", "--compare: no policy is called '%s'; accepted: %s", name,
					fg_option_table[FG_OPTION_sched].accepted);
		if (request->n_compare == SIM_POLICIES)
			return complain("sim", "--compare: more than %d policies", SIM_POLICIES);
		request->compare[request->n_compare++] = name;
	}
	return request->n_compare ? 0
				  : complain("sim", "--compare: which policies? accepted: %s",
					     fg_option_table[FG_OPTION_sched].accepted);
}

static int
take_sweep(struct sim_request *request, const char *text)
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
		if (request->n_sweep == SIM_POINTS)
			return complain("sim", "--sweep %s: more than %d points", text, SIM_POINTS);
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
take_option(int argc, char **argv, int *i, struct sim_request *request)
{
	const char *missing = NULL, *value;
	struct sim_call *call = &request->call;
	unsigned long number;
	int status = 0;
	if (!strcmp(argv[*i], "--given"))
		call->given = true;
	else if (!strcmp(argv[*i], "--baseline") || !strcmp(argv[*i], "--no-baseline"))
		request->no_baseline = argv[*i][2] == 'n';
	else if (!strcmp(argv[*i], "--json"))
		request->json = true;
	else if ((value = option_value(argc, argv, i, "machine", 'm', &missing)))
		call->machine = sim_machine_path(value);
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

int
sim_no_report(const struct sim_outcome *outcome)
{
	if (!outcome->failed)
		complain("sim",
			 "the program left no report: it ended by _exit, a signal or exec, or it is linked without libgomp.so.1 and the C "
			 "library's loader (exit status %d)",
			 outcome->status);
	return outcome->status ? outcome->status : 1;
}

static void
print_once(const struct sim_request *request, const struct sim_outcome *outcome, const struct sim_outcome *one)
{
	(request->json ? sim_print_json : sim_print_text)(&request->model, &request->call, outcome, one);
}

/* The run on one PU comes first, so that files which the program writes are of the run that was asked for. A machine of
 * one PU needs no such run. */
static int
run_once(struct sim_request *request)
{
	struct sim_outcome outcome, one = {0};
	int status = 0;
	bool on_one = !request->no_baseline && request->model.machine->n_pus > 1;
	if (on_one && !sim_baseline_run(&request->call, &one, &status))
		return status;
	request->call.output = request->json ? SIM_TO_STDERR : SIM_SHOW;
	if (!sim_run(&request->call, &outcome, &status))
		return status;
	if (!outcome.complete)
		status = sim_no_report(&outcome);
	else {
		bool valid = on_one && sim_baseline_valid(&one, outcome.status);
		bool is_one = !request->no_baseline && !on_one;
		print_once(request, &outcome, valid ? &one : is_one ? &outcome : NULL);
		if (on_one && !valid)
			sim_baseline_complain(&one);
		status = outcome.status;
	}
	sim_outcome_free(&one);
	sim_outcome_free(&outcome);
	return status;
}

static int
run_request(struct sim_request *request)
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
	if (request->svg && request->no_baseline)
		return complain("sim", "--svg draws speed-ups, so it needs the run on one PU: leave out --no-baseline");
	const char *kind = getenv("FGOMP_THREADS");
	if (kind && !strcasecmp(kind, "kernel"))
		return complain("sim", "FGOMP_THREADS=kernel cannot be simulated: all PUs are on one kernel thread");
	return request->n_sweep || request->n_compare ? sim_table(request) : run_once(request);
}

int
command_sim(int argc, char **argv)
{
	struct sim_request request = {.call = {.seed = "1"}};
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
