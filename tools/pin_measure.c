/* Runs of the program for `forestgomp pin`, on this machine or on a simulated one, and what their regions took. */
#include "pin.h"
#include "command.h"
#include "sim_child.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void
write_pus(FILE *file, const uint16_t *pu, unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		fprintf(file, " %u", pu[k]);
	fputc('\n', file);
}

bool
pin_write(const struct pin *pin, const struct pin_candidate *candidate, const char *path)
{
	FILE *file = fopen(path, "we");
	if (!file)
		return false;
	fprintf(file, "pin = %d # by forestgomp pin, for %s\nmachine = %u %016" PRIx64 "\nthreads = %u\ndefault =",
		FG_PIN_VERSION, pin->program[0], pin->tree->n_pus, fg_pin_digest(pin->tree), candidate->size);
	write_pus(file, candidate->pu, candidate->size);
	for (unsigned r = 0; candidate->by_region && r < pin->n_regions; r++) {
		const struct pin_region *region = &pin->region[r];
		if (!candidate->of_region[r])
			continue;
		fprintf(file, "# %s\nregion = %s", region->label, region->name);
		write_pus(file, candidate->of_region[r], candidate->size);
	}
	bool failed = ferror(file);
	return fclose(file) == 0 && !failed;
}

/* The regions have as many threads as by itself. */
static void
set_environment(const struct pin *pin, const struct pin_candidate *candidate, const char *plan)
{
	char *places = candidate->by_places ? pin_places(pin, candidate) : NULL;
	unsetenv("OMP_PROC_BIND");
	unsetenv("OMP_PLACES");
	if (places) {
		setenv("OMP_PROC_BIND", "close", 1);
		setenv("OMP_PLACES", places, 1);
	}
	free(places);
	if (candidate->pinned)
		setenv("FGOMP_PIN", plan, 1);
	else
		unsetenv("FGOMP_PIN");
}

/* A small trace, because temporary files may lie in memory: the newest part of a run tells enough. */
static void
set_recording(const char *file, bool samples)
{
	setenv(samples ? "FGOMP_TRACE" : "FGOMP_STATS", file, 1);
	unsetenv(samples ? "FGOMP_STATS" : "FGOMP_TRACE");
	unsetenv("FGOMP_TRACE_USES");
	if (samples) {
		setenv("FGOMP_TRACE_USES", "true", 1);
		setenv("FGOMP_TRACE_SIZE", "16M", 1);
	}
}

/* The program runs as `forestgomp run PROGRAM`. What it prints is not shown, and its errors go to a file. */
static _Noreturn void
child(const struct pin *pin, const char *file, const char *errors, bool samples)
{
	unsigned n = 0;
	while (pin->program[n])
		n++;
	char **words = calloc(n + 4, sizeof *words);
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int said = open(errors, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
	struct sim_input input = sim_input_again();
	if (!words || nowhere < 0 || said < 0)
		_exit(126);
	set_recording(file, samples);
	dup2(nowhere, STDOUT_FILENO);
	dup2(said, STDERR_FILENO);
	if (input.descriptor >= 0)
		dup2(input.descriptor, STDIN_FILENO);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	words[0] = "forestgomp";
	words[1] = "run";
	words[2] = "--";
	memcpy(words + 3, pin->program, n * sizeof *words);
	execv("/proc/self/exe", words);
	_exit(126);
}

static int
ended_badly(const struct pin_candidate *candidate, int status)
{
	complain("pin", "the run `%s` ended with exit status %d: nothing is pinned", candidate->name, status);
	return 1;
}

/* Hands on what the program said. Returns whether the library told that it does not follow the pin file: a script
 * between may have bound threads, or set variables. */
static bool
hand_on(const char *errors)
{
	static const char refusal[] = "libgomp: FGOMP_PIN";
	FILE *file = fopen(errors, "re");
	char *line = NULL;
	size_t size = 0;
	bool refused = false;
	while (file && getline(&line, &size, file) > 0) {
		refused |= strncmp(line, refusal, sizeof refusal - 1) == 0;
		fputs(line, stderr);
	}
	free(line);
	if (file)
		fclose(file);
	unlink(errors);
	return refused;
}

/* With samples the run is recorded, and its time does not count. */
static int
run_live(struct pin *pin, struct pin_candidate *candidate, const char *file, bool samples)
{
	char errors[sizeof pin->folder + 8];
	snprintf(errors, sizeof errors, "%s/errors", pin->folder);
	struct timespec begin, end;
	int state = 0;
	bool told = false; /* the program was told to end; a second signal ends it */
	clock_gettime(CLOCK_MONOTONIC, &begin);
	pid_t pid = fork();
	if (pid == 0)
		child(pin, file, errors, samples);
	if (pid > 0 && sim_interrupted()) { /* it came before the program had started */
		kill(pid, SIGTERM);
		told = true;
	}
	pid_t ended = pid;
	while (pid > 0 && (ended = waitpid(pid, &state, 0)) < 0 && errno == EINTR)
		if (sim_interrupted()) {
			kill(pid, told ? SIGKILL : SIGTERM);
			told = true;
		}
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (ended < 0) {
		complain("pin", "%s: %s", pid < 0 ? "cannot start another process" : "cannot wait for the program",
			 strerror(errno));
		return 1;
	}
	bool refused = hand_on(errors);
	if (sim_interrupted())
		return 0;
	if (!WIFEXITED(state) || WEXITSTATUS(state))
		return ended_badly(candidate, WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state));
	if (refused)
		return complain("pin",
				"the library did not pin the run `%s`, as its line above says: nothing can be compared",
				candidate->name);
	if (!samples)
		candidate->time[candidate->runs++] =
			1e9 * (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec);
	return 0;
}

/* Runs of one candidate have seeds that follow each other. */
static int
run_simulated(struct pin *pin, struct pin_candidate *candidate, const char *trace)
{
	char seed[24];
	struct sim_outcome outcome = {0};
	int status = 0;
	snprintf(seed, sizeof seed, "%lu", strtoul(pin->seed, NULL, 10) % UINT32_MAX + candidate->runs);
	struct sim_call call = {.machine = pin->machine,
				.seed = seed,
				.given = pin->given,
				.output = SIM_HIDE,
				.input_again = true,
				.trace = trace,
				.program = pin->program};
	if (!sim_run(&call, &outcome, &status))
		return status;
	if (!outcome.complete)
		status = sim_no_report(&call, &outcome);
	else if (outcome.status)
		status = ended_badly(candidate, outcome.status);
	else
		candidate->time[candidate->runs++] = (double)outcome.time;
	sim_outcome_free(&outcome);
	return status;
}

int
pin_measure(struct pin *pin, unsigned number)
{
	struct pin_candidate *candidate = &pin->candidate[number];
	char plan[sizeof pin->folder + 8], regions[sizeof pin->folder + 16];
	snprintf(plan, sizeof plan, "%s/pin", pin->folder);
	snprintf(regions, sizeof regions, "%s/" PIN_REGIONS_FILE "%s", pin->folder, pin->machine ? "" : ".%p%n");
	if (candidate->runs == PIN_RUNS)
		return 0;
	if (candidate->pinned && !pin_write(pin, candidate, plan)) {
		complain("pin", "cannot write %s: %s", plan, strerror(errno));
		return 1;
	}
	sim_progress(pin->runs, pin->budget, candidate->name);
	set_environment(pin, candidate, plan);
	int status = pin->machine ? run_simulated(pin, candidate, regions) : run_live(pin, candidate, regions, false);
	pin->runs++;
	pin_regions_read(pin, number);
	unlink(plan);
	return status ? status : pin_regions_check(pin);
}

int
pin_record(struct pin *pin)
{
	char file[sizeof pin->folder + 16];
	snprintf(file, sizeof file, "%s/" PIN_RECORDING_FILE ".%%p%%n", pin->folder);
	sim_progress(pin->runs, pin->budget, "recorded");
	set_environment(pin, &pin->candidate[0], "");
	int status = run_live(pin, &pin->candidate[0], file, true);
	pin->runs++;
	pin_recording_read(pin);
	return status;
}
