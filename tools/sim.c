/* `forestgomp sim`: runs a program as if on another machine. Checks of the request, and one run. */
#include "sim.h"
#include "sim_child.h"
#include "command.h"
#include "manual.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *
sim_machine_path(const char *name)
{
	const char *shelf = sim_shelf();
	char *path;
	if (strpbrk(name, "/: ") || !shelf || asprintf(&path, "%s/%s.machine", shelf, name) < 0)
		return name;
	return access(path, R_OK) == 0 ? path : name;
}

/* Returns what it is about the program that keeps it from our library; NULL: nothing is seen. */
static const char *
why_not_ours(const char *name)
{
	Elf64_Ehdr head;
	Elf64_Phdr part;
	bool elf = false, interpreted = false;
	int file = strchr(name, '/') ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	if (file < 0)
		return NULL;
	elf = pread(file, &head, sizeof head, 0) == sizeof head && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
	      head.e_ident[EI_CLASS] == ELFCLASS64;
	for (unsigned i = 0; elf && i < head.e_phnum; i++)
		if (pread(file, &part, sizeof part, (off_t)(head.e_phoff + i * sizeof part)) == sizeof part)
			interpreted |= part.p_type == PT_INTERP;
	close(file);
	return elf && !interpreted ? "it is linked statically" : NULL;
}

int
sim_no_report(const struct sim_call *call, const struct sim_outcome *outcome)
{
	const char *why = why_not_ours(call->program[0]);
	if (sim_interrupted())
		;
	else if (why)
		complain("sim",
			 "'%s' cannot be simulated: %s, so its regions do not run on ForestGOMP; link it without "
			 "-static",
			 call->program[0], why);
	else if (!outcome->failed)
		complain("sim",
			 "the program left no report: it ended by _exit, a signal or exec, or it is linked without "
			 "libgomp.so.1 and the C library's loader (exit status %d)",
			 outcome->status);
	return outcome->status ? outcome->status : 1;
}

bool
sim_is_foreign(const struct sim_call *call, const struct sim_outcome *outcome)
{
	if (!outcome->other[0])
		return false;
	if (outcome->regions)
		complain("sim", "warning: '%s' brings %s with it, too: the regions that run on that are not simulated",
			 call->program[0], outcome->other);
	else
		complain("sim",
			 "'%s' cannot be simulated: it brings %s with it, and its regions ran there, not on "
			 "ForestGOMP; build it with gcc -fopenmp",
			 call->program[0], outcome->other);
	return !outcome->regions;
}

static void
print_once(const struct sim_request *request, const struct sim_outcome *outcome, const struct sim_outcome *one)
{
	(request->json ? sim_print_json : sim_print_text)(&request->model, &request->call, outcome, one);
}

/* A second of a PU that computes, spins or looks for work takes about so many of this machine. */
#define COST 2.5
#define LONG_S 20

/* Without a speed-up, all PUs but one idle for as long as the run on one PU. */
static void
tell_cost(const struct sim_request *request, const struct sim_outcome *one)
{
	unsigned n_pus = request->model.machine->n_pus, n = request->repeat ? request->repeat : 1;
	double least = 1e-9 * (double)one->time * n, most = COST * least * n_pus;
	if (most >= LONG_S && isatty(STDERR_FILENO))
		fprintf(stderr,
			"forestgomp sim: on %u PUs the run may take from %.0f s, if all PUs compute, to %.0f s, if one "
			"does\n",
			n_pus, COST * least, most);
}

/* Returns the exit status of a run that has a report. */
static int
report(const struct sim_request *request, const struct sim_outcome *outcome, const struct sim_outcome *one, bool on_one)
{
	bool valid = on_one && sim_baseline_valid(one, outcome->status);
	bool is_one = !request->no_baseline && !on_one;
	if (sim_is_foreign(&request->call, outcome))
		return outcome->status ? outcome->status : 1;
	print_once(request, outcome, valid ? one : is_one ? outcome : NULL);
	fflush(stdout);
	if (on_one && !valid)
		sim_baseline_complain(one, outcome->status);
	if (outcome->runs > 1)
		sim_tell_status(outcome, "");
	if (request->stats)
		sim_stats_print(request->call.trace, request->json);
	else if (request->trace && access(request->trace, F_OK) != 0)
		complain("sim", "--trace %s: no parallel region was met, so there is no trace", request->trace);
	else if (!request->trace && !outcome->regions)
		complain("sim", "the program's first thread met no parallel region");
	return outcome->status;
}

/* The run on one PU comes first, so that files which the program writes are of the run that was asked for. A machine of
 * one PU needs no such run. */
static int
run_once(struct sim_request *request)
{
	struct sim_outcome outcome, one = {0};
	int status = 0;
	bool on_one = !request->no_baseline && request->model.machine->n_pus > 1;
	sim_progress(0, 1, "on one PU");
	if (on_one && !sim_baseline_run(&request->call, request->repeat, &one, &status))
		return status;
	if (sim_interrupted() || (one.complete && !one.regions && sim_is_foreign(&request->call, &one))) {
		sim_outcome_free(&one);
		return 1;
	}
	if (on_one && !request->call.given)
		tell_cost(request, &one);
	sim_progress(0, 1, "");
	request->call.output = request->json ? SIM_TO_STDERR : SIM_SHOW;
	if (!sim_run_repeated(&request->call, request->repeat, &outcome, &status))
		return status;
	status = outcome.complete ? report(request, &outcome, &one, on_one) : sim_no_report(&request->call, &outcome);
	sim_outcome_free(&one);
	sim_outcome_free(&outcome);
	return status;
}

/* Returns 0, or WRONG_USE after a message. */
static int
check(struct sim_request *request)
{
	struct sim_call *call = &request->call;
	bool table = request->n_sweep || request->n_compare;
	if (!call->machine)
		return complain("sim", "which machine? --machine 'numa:4 l3:1 core:4', a file, or a name out of "
				       "`forestgomp sim --list`");
	if (!fg_model_read(&request->model, call->machine))
		return sim_complain_machine(call->machine, &request->model);
	if (call->n_pus && !fg_model_resize(&request->model, call->n_pus))
		return complain("sim", "--cores %u: %s", call->n_pus, request->model.why);
	if (request->svg && !request->n_sweep)
		return complain("sim", "--svg draws the curves of --sweep cores=A..B");
	if (request->svg && request->no_baseline)
		return complain("sim", "--svg draws speed-ups, so it needs the run on one PU: leave out --no-baseline");
	if (table && (request->trace || request->stats))
		return complain("sim", "--%s is of one run: leave out --compare and --sweep",
				request->trace ? "trace" : "stats");
	const char *kind = getenv("FGOMP_THREADS");
	if (kind && !strcasecmp(kind, "kernel"))
		return complain("sim", "FGOMP_THREADS=kernel cannot be simulated: all PUs are on one kernel thread");
	return 0;
}

static int
run_request(struct sim_request *request)
{
	int status = check(request);
	if (!status)
		status = request->trace ? trace_prepare("sim", request->call.trace = request->trace) : 0;
	if (status)
		return status;
	if (request->n_sweep || request->n_compare)
		status = sim_table(request);
	else if (request->stats && !request->trace && !(request->call.trace = sim_stats_begin()))
		status = 1;
	else
		status = run_once(request);
	sim_stats_end();
	if (sim_interrupted())
		fflush(stdout); /* the signal ends the command now */
	sim_interrupts_end();
	return status;
}

int
command_sim(int argc, char **argv)
{
	struct sim_request request = {.call = {.seed = "1"}};
	int i;
	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (manual_asked(argv[i])) {
			manual_help(manual_of("sim"));
			return 0;
		}
		int status = sim_take_option(argc, argv, &i, &request);
		if (status)
			return status;
	}
	if (request.calibrate)
		return sim_calibrate();
	if (request.list)
		return sim_list(request.json);
	if (request.show)
		return sim_show(request.show, request.json);
	if (i >= argc)
		return complain("sim", "which program? `forestgomp sim --help` tells how");
	request.call.program = argv + i;
	return run_request(&request);
}
