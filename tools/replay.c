/* `forestgomp replay`: runs a trace again on the simulated machine, without the program. */
#include "replay.h"
#include "command.h"
#include "manual.h"
#include "sim_child.h"
#include "base/options.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file may come from anywhere, so no code is loaded because it names it: not a plug-in that nobody else has named. */
static bool
may_load(const struct replay *replay)
{
	bool named = !strchr(replay->sched, '/');
	for (unsigned i = 0; i < replay->n_runs; i++)
		named |= strcmp(replay->runs[i].sched, replay->sched) == 0;
	return named;
}

static int
add_policy(struct replay *replay, const char *name)
{
	int status = take_policy("replay", "sched", name);
	if (status)
		return status;
	if (replay->n_runs == REPLAY_POLICIES)
		return complain("replay", "--sched: more than %d policies", REPLAY_POLICIES);
	replay->runs[replay->n_runs++].sched = name;
	return 0;
}

/* A word with '=' is an option of the policy before it. */
static int
take_policies(struct replay *replay, const char *list)
{
	char *rest = strdup(list);
	for (int status; rest && *rest;) {
		char *end = rest + strcspn(rest, ",");
		while (*end && memchr(end + 1, '=', strcspn(end + 1, ",")))
			end += 1 + strcspn(end + 1, ",");
		bool last = !*end;
		*end = '\0';
		if ((status = add_policy(replay, rest)))
			return status;
		rest = last ? NULL : end + 1;
	}
	return 0;
}

static int
take_number(const char *name, const char *text, unsigned long most, unsigned *number)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || value > most || value < 1)
		return complain("replay", "--%s %s is not a number from 1 to %lu", name, text, most);
	*number = (unsigned)value;
	return 0;
}

static int
take_word(int argc, char **argv, int *i, struct replay *replay)
{
	const char *missing = NULL, *value;
	unsigned seed;
	if (strcmp(argv[*i], "--json") == 0)
		replay->json = true;
	else if (strcmp(argv[*i], "--computing-only") == 0)
		replay->computing_only = true;
	else if ((value = option_value(argc, argv, i, "sched", 0, &missing)))
		return take_policies(replay, value);
	else if ((value = option_value(argc, argv, i, "machine", 'm', &missing)))
		replay->to_machine = sim_machine_path(value);
	else if ((value = option_value(argc, argv, i, "cores", 0, &missing)))
		return take_number("cores", value, FG_MODEL_PUS, &replay->to_pus);
	else if ((value = option_value(argc, argv, i, "pin", 0, &missing)))
		replay->pin_path = value;
	else if ((value = option_value(argc, argv, i, "seed", 0, &missing))) {
		replay->to_seed = value;
		return take_number("seed", value, UINT32_MAX, &seed);
	} else if ((value = option_value(argc, argv, i, "runs", 0, &missing)))
		return take_number("runs", value, REPLAY_SEEDS, &replay->seeds);
	else if ((value = option_value(argc, argv, i, "trace", 0, &missing)))
		replay->trace_out = value;
	else if (missing)
		return complain("replay", "%s needs a value", missing);
	else if (argv[*i][0] == '-' && argv[*i][1])
		return manual_unknown(manual_of("replay"), argv[*i]);
	else if (replay->file)
		return complain("replay", "one FILE is replayed at a time: what is '%s'?", argv[*i]);
	else
		replay->file = argv[*i];
	return 0;
}

/* The recorded machine by its name, if `sim` knows it still, else by its levels. */
static void
machine_of_trace(struct replay *replay)
{
	struct fg_model model = {0};
	char pus[24];
	fg_trace_fact(replay->trace, "machine", replay->machine, sizeof replay->machine);
	fg_trace_fact(replay->trace, "pus", pus, sizeof pus);
	unsigned n_pus = (unsigned)strtoul(pus, NULL, 10);
	if (replay->machine[0] && n_pus >= 1 && n_pus <= FG_MODEL_PUS) {
		struct stat file; /* a FIFO would be waited for */
		bool odd = stat(replay->machine, &file) == 0 && !S_ISREG(file.st_mode);
		bool known = !odd && fg_model_read(&model, replay->machine);
		if (known && model.machine->n_pus != n_pus) {
			replay->n_pus = n_pus;
			known = fg_model_resize(&model, n_pus);
		}
		fg_model_free(&model);
		if (known)
			return;
	}
	replay->n_pus = 0;
	replay->machine[0] = '\0';
	if (!replay_machine(replay->trace, replay->machine, sizeof replay->machine)) {
		replay->machine[0] = '\0';
		snprintf(replay->why, sizeof replay->why, "the recorded machine cannot be written as a list of levels");
	}
}

static void
facts_of_trace(struct replay *replay)
{
	char carrier[16], memory[16];
	const struct fg_trace *trace = replay->trace;
	fg_trace_fact(trace, "command", replay->command, sizeof replay->command);
	fg_trace_fact(trace, "carrier", carrier, sizeof carrier);
	fg_trace_fact(trace, "memory", memory, sizeof memory);
	fg_trace_fact(trace, "seed", replay->seed, sizeof replay->seed);
	fg_trace_fact(trace, "sched", replay->sched, sizeof replay->sched);
	if (!replay->sched[0])
		fg_trace_fact(trace, "policy", replay->sched, sizeof replay->sched);
	replay->simulated = strcmp(carrier, "sim") == 0;
	replay->tells_memory = replay->simulated && !replay->computing_only && strcmp(memory, "told") == 0;
	if (!replay->seed[0] || strspn(replay->seed, "0123456789") != strlen(replay->seed))
		strcpy(replay->seed, "1");
	machine_of_trace(replay);
	if (!replay->sched[0])
		snprintf(replay->why, sizeof replay->why, "the trace does not tell its policy");
	else if (!may_load(replay))
		snprintf(replay->why, sizeof replay->why,
			 "the recorded policy '%.80s' is a plug-in: name it with --sched", replay->sched);
	else if (!fg_option_set(&fg_option_table[FG_OPTION_sched], replay->sched))
		snprintf(replay->why, sizeof replay->why, "the recorded policy '%.100s' is not known here",
			 replay->sched);
	if (replay->trace->n_pus > FG_MODEL_PUS)
		snprintf(replay->why, sizeof replay->why,
			 "the recorded machine has %u PUs; the simulated one at most %d", replay->trace->n_pus,
			 FG_MODEL_PUS);
}

int
replay_play(const struct sim_call *as, const char *word, const char *file, char **player, uint64_t *time)
{
	const char *library = find_library();
	struct sim_outcome outcome;
	int status = 0;
	*player = NULL;
	if (!library ||
	    asprintf(player, "%.*s/simulated/forestgomp-player", (int)(strrchr(library, '/') - library), library) < 0)
		return complain("replay",
				"libgomp.so.1 of ForestGOMP is not where it was built or installed; run `make`");
	struct sim_call call = *as;
	call.given = true;
	call.defer = true; /* tasks that their creator ran at once are in its computing already */
	call.output = SIM_TO_STDERR;
	call.program = (char *[]){*player, (char *)word, (char *)file, NULL};
	if (sim_run(&call, &outcome, &status)) {
		if (outcome.complete && outcome.status == 0)
			*time = outcome.time;
		else
			status = outcome.status ? outcome.status : 1;
		if (!outcome.complete)
			sim_no_report(&call, &outcome);
		sim_outcome_free(&outcome);
	}
	return status ? 1 : 0;
}

/* Runs the score once. Returns an exit status. */
static int
play(const char *score, const struct sim_call *as, uint64_t *time)
{
	char *player;
	int status = replay_play(as, score, NULL, &player, time);
	free(player);
	return status;
}

static int
by_time(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Runs the score with several seeds, the first of which is call->seed. */
static int
play_seeds(const struct replay *replay, const char *score, struct sim_call *call, struct replay_run *run,
	   unsigned *done)
{
	unsigned long first = strtoul(call->seed, NULL, 10);
	uint64_t times[REPLAY_SEEDS];
	int status = 0;
	for (unsigned i = 0; !status && i < replay->seeds; i++) {
		char seed[24];
		snprintf(seed, sizeof seed, "%lu", (first + i) % UINT32_MAX);
		call->seed = seed;
		sim_progress((*done)++, (replay->n_runs + 1) * replay->seeds, call->sched);
		status = play(score, call, &times[i]);
		unsetenv("FGOMP_TRACE"); /* the first one is traced */
	}
	if (status)
		return status;
	qsort(times, replay->seeds, sizeof *times, by_time);
	run->time = times[replay->seeds / 2];
	run->least = times[0];
	run->most = times[replay->seeds - 1];
	return 0;
}

static int
play_all(struct replay *replay, const char *score, const char *pin)
{
	unsigned done = 0;
	int status = 0;
	struct sim_call own = {
		.machine = replay->machine, .n_pus = replay->n_pus, .sched = replay->sched, .seed = replay->seed};
	struct sim_call call = own;
	if (!replay->why[0] && play_seeds(replay, score, &call, &replay->own, &done))
		snprintf(replay->why, sizeof replay->why, "its replay has failed");
	for (unsigned i = 0; !status && i < replay->n_runs; i++) {
		call = own;
		call.sched = replay->runs[i].sched;
		if (replay->to_machine) {
			call.machine = replay->to_machine;
			call.n_pus = 0;
		}
		call.n_pus = replay->to_pus ? replay->to_pus : call.n_pus;
		call.seed = replay->to_seed ? replay->to_seed : call.seed;
		if (replay->trace_out && replay->runs[i].pinned == !!replay->pin_path)
			setenv("FGOMP_TRACE", replay->trace_out, 1);
		if (replay->runs[i].pinned)
			setenv("FGOMP_PIN", pin, 1);
		status = play_seeds(replay, score, &call, &replay->runs[i], &done);
		unsetenv("FGOMP_PIN");
	}
	if (!status && replay->trace_out && !strchr(replay->trace_out, '%') && access(replay->trace_out, F_OK) != 0) {
		complain("replay", "--trace %s: the replay has left no trace", replay->trace_out);
		status = 1;
	}
	sim_progress(1, 1, "");
	return status;
}

static bool
write_score(const struct fg_score *score, const char *path)
{
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool written = file >= 0 && fg_score_write(score, file);
	return (file < 0 || close(file) == 0) && written;
}

static int
with_score(struct replay *replay)
{
	const char *folder = getenv("TMPDIR");
	char path[4096], score[sizeof path + 8], pin[sizeof path + 8], sites[sizeof path + 8];
	snprintf(path, sizeof path, "%s/forestgomp-score-XXXXXX", folder && *folder ? folder : "/tmp");
	sim_interrupts_catch(); /* a signal must not leave the files behind */
	bool made = mkdtemp(path);
	snprintf(score, sizeof score, "%s/score", path);
	snprintf(pin, sizeof pin, "%s/pin", path);
	snprintf(sites, sizeof sites, "%s/sites", path);
	int status = made && write_score(replay->score, score) ? 0 : 1;
	if (status)
		complain("replay", "cannot write '%s': %s", score, strerror(errno));
	player_environment(false);
	if (!status && replay->pin_path)
		status = replay_pin_write(replay, pin, sites);
	if (!status)
		status = play_all(replay, score, pin);
	unlink(score);
	unlink(pin);
	unlink(sites);
	if (made)
		rmdir(path);
	sim_interrupts_end();
	if (!status)
		(replay->json ? replay_print_json : replay_print_text)(replay);
	return status;
}

#define UNTOLD_MAX 0.05 /* of the members' time: data that may have been anywhere */

static unsigned
recorded_nodes(const struct fg_trace *trace)
{
	unsigned n = 0;
	for (size_t i = 0; i < trace->n_levels; i++)
		n += trace->levels[i].kinds >> FG_NUMA_NODE & 1;
	return n;
}

/* Without the program's data a replay may be wrong by a factor, unless all memory is equally near. */
static void
look_for_data(struct replay *replay)
{
	const struct fg_score *score = replay->score;
	char *why = replay->cannot_tell;
	size_t size = sizeof replay->cannot_tell;
	double whole = (double)(score->computing + score->memory + score->losses.memory);
	double placed = (double)score->placed / whole, lost = (double)score->losses.memory / whole;
	bool near_here = recorded_nodes(replay->trace) < 2, near_there = replay->model.machine->n_numa_nodes < 2;
	if (replay->computing_only || (near_here && near_there))
		return;
	if (!replay->tells_memory)
		snprintf(why, size,
			 "the trace does not tell which data the members use, and the %s machine has several "
			 "NUMA nodes",
			 near_here ? "other" : "recorded");
	else if (placed > UNTOLD_MAX)
		snprintf(why, size,
			 "%.1f%% of the members' time went to data that an allocator has placed, and the trace "
			 "does not tell where",
			 100 * placed);
	else if (lost > UNTOLD_MAX)
		snprintf(why, size, "%.1f%% of the members' time went to data that the trace tells only in part",
			 100 * lost);
}

static int
refuse(const struct replay *replay)
{
	if (replay->json)
		replay_print_json(replay);
	complain("replay", "'%s': cannot tell: %s; --computing-only takes their time as it was", replay->file,
		 replay->cannot_tell);
	return 1;
}

/* Looks at the machine before anything runs. */
static int
check_machine(struct replay *replay)
{
	const char *name = replay->to_machine ? replay->to_machine : replay->machine;
	unsigned pus = replay->to_pus ? replay->to_pus : replay->to_machine ? 0 : replay->n_pus;
	if (!*name)
		return complain("replay", "%s: give one with --machine", replay->why);
	if (fg_model_read(&replay->model, name) && (!pus || fg_model_resize(&replay->model, pus)))
		return 0;
	return complain(
		"replay",
		"--machine %s: %s; accepted: a name out of `forestgomp sim --list`, a machine file, an hwloc XML file "
		"(*.xml), or a list such as 'numa:4 l3:1 core:4'",
		name, replay->model.why);
}

static int
with_trace(struct replay *replay, struct fg_trace *trace)
{
	char why[200];
	struct fg_story *story = fg_story_tell(trace);
	struct fg_score *score = fg_score_make(story, !replay->computing_only, why, sizeof why);
	int status = 1;
	replay->trace = trace;
	replay->story = story;
	replay->score = score;
	if (!score)
		complain("replay", "'%s' %s%s%s%s", replay->file, why, trace->note[0] ? " (" : "", trace->note,
			 trace->note[0] ? ")" : "");
	else {
		replay->recorded = score->last - score->first;
		facts_of_trace(replay);
		if (!replay->n_runs &&
		    (replay->to_machine || replay->to_pus || replay->to_seed || replay->trace_out || replay->pin_path))
			replay->runs[replay->n_runs++].sched =
				replay->sched[0] && may_load(replay) ? replay->sched : "default";
		status = check_machine(replay);
		if (!status && replay->pin_path)
			status = replay_pin_read(replay);
		if (!status)
			look_for_data(replay);
		if (!status)
			status = replay->cannot_tell[0] ? refuse(replay) : with_score(replay);
		fg_model_free(&replay->model);
		fg_pin_free(&replay->pin);
		fg_score_free(score);
	}
	fg_story_free(story);
	return status;
}

int
command_replay(int argc, char **argv)
{
	struct replay replay = {.seeds = 5};
	char why[200];
	for (int i = 1; i < argc; i++) {
		if (manual_asked(argv[i])) {
			manual_help(manual_of("replay"));
			return 0;
		}
		int status = take_word(argc, argv, &i, &replay);
		if (status)
			return status;
	}
	if (!replay.file)
		return complain("replay", "which file? `forestgomp run --trace FILE PROGRAM` writes one");
	if (replay.trace_out && replay.n_runs > 1)
		return complain("replay", "--trace writes the trace of one replay: give one policy");
	if (replay.trace_out && same_file(replay.file, replay.trace_out))
		return complain("replay", "'%s' is the trace itself; give another name for --trace", replay.file);
	int status = replay.trace_out ? trace_prepare("replay", replay.trace_out) : 0;
	if (status)
		return status;
	struct fg_trace *trace = fg_trace_read(replay.file, why, sizeof why);
	if (!trace) {
		complain("replay", "'%s' %s", replay.file, why);
		return 1;
	}
	status = with_trace(&replay, trace);
	fg_trace_free(trace);
	return status;
}
