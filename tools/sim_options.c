/* The options of `forestgomp sim` on the command line. */
#include "sim.h"
#include "command.h"
#include "manual.h"
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
	OPTIONS
};

/* The table of manual_table.c has this order. LIST and those below it are for command_sim, which does something else
 * for each. */
static const struct manual_option *
option_of(enum option option)
{
	return &manual_of("sim")->options[option];
}

static int
take_compare(struct sim_request *request, const char *list)
{
	char *saved, *copy = strdup(list);
	for (char *name = strtok_r(copy, ",", &saved); name; name = strtok_r(NULL, ",", &saved)) {
		int status = take_policy("sim", "compare", name);
		if (status)
			return status;
		if (request->n_compare == SIM_POLICIES)
			return complain("sim", "--compare: more than %d policies", SIM_POLICIES);
		request->compare[request->n_compare++] = name;
	}
	return request->n_compare ? 0
				  : complain("sim", "--compare: which policies? accepted: %s",
					     fg_option_table[FG_OPTION_sched].accepted);
}

/* A number from 1 to FG_MODEL_PUS after the word. Moves *text behind it. */
static bool
read_size(const char **text, const char *word, unsigned *number)
{
	size_t length = strlen(word);
	const char *digits = *text + length;
	char *end;
	if (strncmp(*text, word, length) != 0 || *digits < '0' || *digits > '9')
		return false;
	unsigned long value = strtoul(digits, &end, 10);
	*text = end;
	*number = (unsigned)value;
	return value >= 1 && value <= FG_MODEL_PUS;
}

static int
take_sweep(struct sim_request *request, const char *text)
{
	unsigned from, to, step = 0;
	const char *rest = text;
	bool valid = read_size(&rest, "cores=", &from) && read_size(&rest, "..", &to) &&
		     (!*rest || (read_size(&rest, ",", &step) && !*rest));
	if (!valid || to < from)
		return complain("sim",
				"--sweep %s is not valid; accepted: cores=A..B or cores=A..B,STEP with 1 <= A <= B <= "
				"%d, and STEP from 1 to %d",
				text, FG_MODEL_PUS, FG_MODEL_PUS);
	for (unsigned n = from; n <= to; n = step ? n + step : 2 * n) {
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
		return complain("sim", "--%s %s is not a number from 1 to %lu", option_of(option)->name, text, most);
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
		call->sched = value;
		return take_policy("sim", "sched", value);
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
	if (option == BASELINE || option == NO_BASELINE)
		request->no_baseline = option == NO_BASELINE;
}

static bool
is_flag(const char *word, const struct manual_option *option)
{
	bool is_short = option->letter && word[0] == '-' && word[1] == option->letter && !word[2];
	return !option->value && (is_short || (strncmp(word, "--", 2) == 0 && !strcmp(word + 2, option->name)));
}

int
sim_take_option(int argc, char **argv, int *i, struct sim_request *request)
{
	for (enum option option = 0; option < OPTIONS; option++) {
		const char *missing = NULL, *value;
		if (is_flag(argv[*i], option_of(option))) {
			take_flag(request, option);
			return 0;
		}
		if (!option_of(option)->value)
			continue;
		if ((value = option_value(argc, argv, i, option_of(option)->name, option_of(option)->letter, &missing)))
			return take_value(request, option, value);
		if (missing)
			return complain("sim", "%s needs a value", missing);
	}
	return manual_unknown(manual_of("sim"), argv[*i]);
}
