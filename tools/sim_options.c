/* The options of `forestgomp sim`: one table for --help and for the command line. */
#include "sim.h"
#include "command.h"
#include "option_text.h"
#include "suggest.h"
#include "base/options.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum option {
	MACHINE,
	CORES,
	SCHED,
	SEED,
	GIVEN,
	REPEAT,
	NO_BASELINE,
	BASELINE,
	COMPARE,
	SWEEP,
	SVG,
	TRACE,
	STATS,
	JSON,
	LIST,
	SHOW,
	CALIBRATE,
	HELP,
	OPTIONS
};

/* LIST and those below it are for command_sim, which does something else for each. */
static const struct option_text table[OPTIONS] = {
	[MACHINE] = {"machine", 'm', "M",
		     "a name out of --list, a machine file, an hwloc XML file (*.xml), or a list such as\n"
		     "'numa:4 l3:1 core:4' with the levels numa (or node), package, die, group, l3, l2, core, pu"},
	[CORES] = {"cores", 0, "N", "the same machine with N PUs: cut down, or with more of its outermost level"},
	[SCHED] = {"sched", 0, "POLICY", "bubble scheduler, as FGOMP_SCHED"},
	[SEED] = {"seed", 0, "N", "decides who goes first among equals in time; default: 1"},
	[GIVEN] = {"given", 0, NULL,
		   "only what the program gives with fgomp_sim_work(), _read() and _write() counts:\n"
		   "exactly repeatable"},
	[REPEAT] = {"repeat", 0, "N", "N runs with seeds that follow each other: their median, the least and the most"},
	[NO_BASELINE] = {"no-baseline", 0, NULL, "do not run it on one simulated PU first: then there is no speed-up"},
	[BASELINE] = {"baseline", 0, NULL, "run it there; this is the default"},
	[COMPARE] = {"compare", 0, "P,...", "a table of policies; on one PU it runs under the first, or under --sched"},
	[SWEEP] = {"sweep", 0, "S",
		   "a table over numbers of PUs: cores=A..B doubles them, cores=A..B,STEP goes in steps;\n"
		   "with --compare: for each policy"},
	[SVG] = {"svg", 0, "FILE", "draw the curves of --sweep"},
	[TRACE] = {"trace", 0, "FILE",
		   "write what happens, in virtual time; `forestgomp trace FILE -o PAGE.html` draws it"},
	[STATS] = {"stats", 0, NULL, "a table of the parallel regions at the end, on standard error"},
	[JSON] = {"json", 0, NULL, "print the result as JSON; what the program prints goes to standard error"},
	[LIST] = {"list", 0, NULL, "the machines that are there"},
	[SHOW] = {"show", 0, "MACHINE", "each figure of a machine, and its source"},
	[CALIBRATE] = {"calibrate", 0, NULL,
		       "measure what lines, memory, switches, wake-ups cost on this machine; prints a machine file"},
	[HELP] = {"help", 'h', NULL, "this text"},
};

void
sim_print_help(void)
{
	fputs("Usage: forestgomp sim --machine MACHINE [OPTIONS] PROGRAM [ARGUMENTS]\n\n"
	      "Runs PROGRAM, built by gcc with -fopenmp, on the unmodified runtime as if on MACHINE, and tells the time that it would take\n"
	      "there, how busy each PU is, and what moves between them. Its computing is timed on this machine (or given), what passes\n"
	      "between PUs is charged by the machine's figures. docs/simulator.md has the model of cost, and what is not covered;\n"
	      "docs/reading-the-simulator.md tells what each figure means.\n\n",
	      stdout);
	for (unsigned i = 0; i < OPTIONS; i++)
		option_text_print(&table[i]);
	fputs("      --               what follows is the program, even if it starts with a dash\n\n"
	      "The run on one PU comes first and is not seen. It reads the same standard input if that is a file, else one empty line.\n"
	      "All PUs share one kernel thread. So a run takes as long as its computing in all, and for each second that a PU computes,\n"
	      "looks for work or spins 1 to 3 s more. A terminal shows how far it is.\n\n"
	      "Exit status: the program's; 127 if there is no such program, 126 if it cannot be run, 2 if the call is wrong, 1 if it left\n"
	      "no report, if no region of it ran on ForestGOMP, or if the output could not be written.\n",
	      stdout);
}

static bool
valid_policy(const char *name)
{
	return fg_option_set(&fg_option_table[FG_OPTION_sched], name);
}

static int
take_policy(const char *name, const char **policy)
{
	*policy = name;
	return valid_policy(name) ? 0
				  : complain("sim", "--sched %s is not valid; accepted: %s", name,
					     fg_option_table[FG_OPTION_sched].accepted);
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
take_number(enum option option, const char *text, unsigned long most, unsigned *number)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);
	*number = (unsigned)value;
	if (*text < '0' || *text > '9' || *end || value > most || value < 1)
		return complain("sim", "--%s %s is not a number from 1 to %lu", table[option].name, text, most);
	return 0;
}

static int
take_value(struct sim_request *request, enum option option, const char *value)
{
	struct sim_call *call = &request->call;
	unsigned number;
	switch (option) {
	case MACHINE:
		call->machine = sim_machine_path(value);
		return 0;
	case CORES:
		return take_number(option, value, FG_MODEL_PUS, &call->n_pus);
	case SCHED:
		return take_policy(value, &call->sched);
	case SEED:
		call->seed = value;
		return take_number(option, value, UINT32_MAX, &number);
	case REPEAT:
		return take_number(option, value, SIM_REPEATS, &request->repeat);
	case COMPARE:
		return take_compare(request, value);
	case SWEEP:
		return take_sweep(request, value);
	case SVG:
		request->svg = value;
		return 0;
	case TRACE:
		request->trace = value;
		return 0;
	default:
		request->show = value;
		return 0;
	}
}

static void
take_flag(struct sim_request *request, enum option option)
{
	request->call.given |= option == GIVEN;
	request->json |= option == JSON;
	request->stats |= option == STATS;
	request->list |= option == LIST;
	request->calibrate |= option == CALIBRATE;
	request->help |= option == HELP;
	if (option == BASELINE || option == NO_BASELINE)
		request->no_baseline = option == NO_BASELINE;
}

static bool
is_flag(const char *word, const struct option_text *option)
{
	bool is_short = option->letter && word[0] == '-' && word[1] == option->letter && !word[2];
	return !option->value && (is_short || (strncmp(word, "--", 2) == 0 && !strcmp(word + 2, option->name)));
}

static int
complain_unknown(const char *word)
{
	const char *names[OPTIONS], *text = word + strspn(word, "-");
	for (unsigned i = 0; i < OPTIONS; i++)
		names[i] = table[i].name;
	const char *nearest = suggest(text, strcspn(text, "="), names, OPTIONS);
	return complain("sim", "no option is called '%s'%s%s%s; `forestgomp sim --help` lists them", word,
			nearest ? "; did you mean '--" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

int
sim_take_option(int argc, char **argv, int *i, struct sim_request *request)
{
	for (enum option option = 0; option < OPTIONS; option++) {
		const char *missing = NULL, *value;
		if (is_flag(argv[*i], &table[option])) {
			take_flag(request, option);
			return 0;
		}
		if (!table[option].value)
			continue;
		if ((value = option_value(argc, argv, i, table[option].name, table[option].letter, &missing)))
			return take_value(request, option, value);
		if (missing)
			return complain("sim", "%s needs a value", missing);
	}
	return complain_unknown(argv[*i]);
}
