/* One run of a program on the simulated machine: its environment, its process, its report. */
#include "sim.h"
#include "sim_child.h"
#include "command.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

uint64_t
sim_sum(const uint64_t *counts)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < SIM_DISTANCES; i++)
		sum += counts[i];
	return sum;
}

uint64_t
sim_work(const struct sim_outcome *outcome)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < outcome->n_pus; i++)
		sum += outcome->pus[i].work;
	return sum;
}

uint64_t
sim_runtime(const struct sim_outcome *outcome)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < outcome->n_pus; i++)
		sum += outcome->pus[i].runtime;
	return sum;
}

uint64_t
sim_search(const struct sim_outcome *outcome)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < outcome->n_pus; i++)
		sum += outcome->pus[i].search;
	return sum;
}

uint64_t
sim_busy(const struct sim_outcome *outcome)
{
	uint64_t sum = sim_work(outcome);
	for (unsigned i = 0; i < outcome->n_pus; i++)
		sum += outcome->pus[i].memory;
	return sum;
}

void
sim_outcome_free(struct sim_outcome *outcome)
{
	free(outcome->pus);
	outcome->pus = NULL;
}

static void
set_number(const char *name, unsigned number)
{
	char text[24];
	snprintf(text, sizeof text, "%u", number);
	setenv(name, text, 1);
}

/* A file without a name, so none is left behind. The program writes it by its name in the command's folder of /proc. */
struct unnamed {
	int file;
	char path[64];
};

static struct unnamed
unnamed_new(const char *what)
{
	struct unnamed unnamed = {.file = memfd_create(what, MFD_CLOEXEC)};
	snprintf(unnamed.path, sizeof unnamed.path, "/proc/%d/fd/%d", getpid(), unnamed.file);
	return unnamed;
}

/* All that a run needs. */
struct run {
	const struct sim_call *call;
	struct fg_model model;
	const char *library;
	struct unnamed report, progress;
};

/* Runs in the child. The runtime takes the model's topology for its machine. */
static void
set_environment(const struct run *run)
{
	const struct sim_call *call = run->call;
	const char *library = run->library;
	char *folder = strdup(library), *preload;
	*strrchr(folder, '/') = '\0';
	const char *old = getenv("LD_PRELOAD");
	if (asprintf(&preload, "%s/simulated/libforestgomp-preload.so:%s/simulated/libgomp.so.1%s%s", folder, folder,
		     old && *old ? ":" : "", old ? old : "") > 0)
		setenv("LD_PRELOAD", preload, 1);
	setenv("FGSIM_MACHINE", call->machine, 1);
	if (call->n_pus)
		set_number("FGSIM_PUS", call->n_pus);
	setenv("FGSIM_SEED", call->seed, 1);
	setenv("FGSIM_GIVEN", call->given ? "1" : "0", 1);
	setenv("FGSIM_DEFER", call->defer ? "1" : "0", 1);
	setenv("FGSIM_REPORT", run->report.path, 1);
	setenv("FGSIM_PROGRESS", run->progress.path, 1);
	setenv("FGOMP_TOPOLOGY", run->model.topology, 1);
	unsetenv("FGOMP_CARRIER");
	if (call->sched)
		setenv("FGOMP_SCHED", call->sched, 1);
	if (call->trace)
		setenv("FGOMP_TRACE", call->trace, 1);
	if (call->output == SIM_SILENCE)
		unsetenv("FGOMP_TRACE");
}

static void
redirect(const struct sim_call *call, int input)
{
	if (call->output == SIM_TO_STDERR)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	int nowhere = call->output >= SIM_HIDE ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
	if (nowhere >= 0)
		dup2(nowhere, STDOUT_FILENO);
	if (nowhere >= 0 && call->output == SIM_SILENCE)
		dup2(nowhere, STDERR_FILENO);
	if (input >= 0)
		dup2(input, STDIN_FILENO);
}

/* The program gets the same addresses each time, because code that hashes addresses must do the same in each run. */
static _Noreturn void
child(const struct run *run, int input, int failure)
{
	const struct sim_call *call = run->call;
	set_environment(run);
	redirect(call, input);
	personality(ADDR_NO_RANDOMIZE);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* without its parent, the program's report has no reader */
	execvp(call->program[0], call->program);
	int error = errno;
	ssize_t written = write(failure, &error, sizeof error);
	_exit(written == sizeof error ? 127 : 126);
}

static void
count_distance(uint64_t *counts, const char *line)
{
	unsigned distance;
	uint64_t count;
	if (sscanf(line, "%u %" SCNu64, &distance, &count) == 2 && distance < SIM_DISTANCES)
		counts[distance] = count;
}

static void
read_pu(struct sim_outcome *outcome, const char *line)
{
	struct sim_pu pu;
	unsigned i;
	if (sscanf(line,
		   "%u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		   &i, &pu.work, &pu.runtime, &pu.search, &pu.lines, &pu.system, &pu.memory, &pu.switches, &pu.sleeps,
		   &pu.steals, &pu.task_steals, &pu.migrations, &pu.transfers, &pu.remote) == 14 &&
	    outcome->pus && i < outcome->n_pus)
		outcome->pus[i] = pu;
}

static void
read_report(struct sim_outcome *outcome, FILE *file)
{
	char line[512], word[24];
	int used;
	while (fgets(line, sizeof line, file) && sscanf(line, "%23s%n", word, &used) == 1) {
		const char *rest = line + used;
		uint64_t number = strtoull(rest, NULL, 10);
		if (!strcmp(word, "time"))
			outcome->time = number;
		else if (!strcmp(word, "pus")) {
			outcome->n_pus = (unsigned)number;
			outcome->pus = calloc(number, sizeof *outcome->pus);
		} else if (!strcmp(word, "hit"))
			outcome->hit = number;
		else if (!strcmp(word, "corrected"))
			outcome->corrected = number;
		else if (!strcmp(word, "preempted"))
			outcome->preempted = number;
		else if (!strcmp(word, "pu"))
			read_pu(outcome, rest);
		else if (!strcmp(word, "steals"))
			count_distance(outcome->steals, rest);
		else if (!strcmp(word, "task_steals"))
			count_distance(outcome->task_steals, rest);
		else if (!strcmp(word, "migrations"))
			count_distance(outcome->migrations, rest);
		else if (!strcmp(word, "transfers"))
			count_distance(outcome->transfers, rest);
		else if (!strcmp(word, "lines_own"))
			outcome->lines_own = number;
		else if (!strcmp(word, "lines_shared"))
			outcome->lines_shared = number;
		else if (!strcmp(word, "lines_other"))
			count_distance(outcome->lines_other, rest);
		else if (!strcmp(word, "lines_memory"))
			count_distance(outcome->lines_memory, rest);
		else if (!strcmp(word, "regions"))
			outcome->regions = number;
		else if (!strcmp(word, "other"))
			snprintf(outcome->other, sizeof outcome->other, "%.*s", (int)strcspn(rest + 1, "\n"), rest + 1);
		else if (!strcmp(word, "failed"))
			outcome->failed = true;
		else if (!strcmp(word, "end"))
			outcome->complete = true;
	}
}

static bool
start_and_wait(const struct run *run, struct sim_outcome *outcome, int *status)
{
	const struct sim_call *call = run->call;
	int failure[2], error = 0, state = 0;
	if (pipe2(failure, O_CLOEXEC) != 0) {
		*status = complain("sim", "no pipe: %s", strerror(errno));
		return false;
	}
	struct sim_input input = {-1, false};
	if (call->input_again)
		input = sim_input_again();
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		child(run, input.descriptor, failure[1]);
	int unforked = pid < 0 ? errno : 0;
	close(failure[1]);
	ssize_t got = pid > 0 ? 1 : -1;
	while (pid > 0 && (got = read(failure[0], &error, sizeof error)) < 0 && errno == EINTR)
		;
	close(failure[0]);
	if (pid > 0)
		state = sim_child_wait(pid, run->progress.file, run->model.machine->n_pus);
	outcome->input_missed = sim_input_close(&input);
	if (got == 0) {
		outcome->status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
		return true;
	}
	if (unforked) {
		complain("sim", "cannot start another process: %s", strerror(unforked));
		*status = 1;
	} else
		*status = run_cannot_start("sim", call->program[0], error);
	return false;
}

/* Returns false after a message. */
static bool
prepare(struct run *run, int *status)
{
	const struct sim_call *call = run->call;
	run->library = find_library();
	if (!run->library) {
		*status = complain("sim",
				   "libgomp.so.1 of ForestGOMP is not where it was built or installed; run `make`");
		return false;
	}
	if (!fg_model_read(&run->model, call->machine) || (call->n_pus && !fg_model_resize(&run->model, call->n_pus))) {
		*status = complain("sim", "--machine %s: %s", call->machine, run->model.why);
		return false;
	}
	const char *preloadable = run_preloadable(run->library);
	if (preloadable)
		run->library = preloadable;
	run->report = unnamed_new("forestgomp-report");
	run->progress = unnamed_new("forestgomp-progress");
	if (run->report.file < 0 || run->progress.file < 0) {
		complain("sim", "no memory for the report: %s", strerror(errno));
		*status = 1;
		return false;
	}
	return true;
}

bool
sim_run(const struct sim_call *call, struct sim_outcome *outcome, int *status)
{
	struct run run = {.call = call, .report.file = -1, .progress.file = -1};
	*outcome = (struct sim_outcome){0};
	sim_interrupts_catch();
	bool ran = prepare(&run, status) && start_and_wait(&run, outcome, status);
	FILE *stream = run.report.file >= 0 ? fdopen(run.report.file, "r") : NULL;
	if (ran && stream)
		read_report(outcome, stream);
	if (stream)
		fclose(stream);
	if (run.progress.file >= 0)
		close(run.progress.file);
	fg_model_free(&run.model);
	return ran;
}
