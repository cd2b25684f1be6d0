/* `forestgomp pin`: finds where a program's threads should sit, by running it. */
#include "pin.h"
#include "command.h"
#include "manual.h"
#include "sim_child.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum option { MACHINE, RUNS, FROM, PERF, OUTPUT, SVG, SEED, GIVEN, JSON, OPTIONS };

#define RUNS_LEAST 6
#define RUNS_MOST 512
#define EACH_LEAST 4	  /* runs of each that a test needs */
#define CERTAIN 0.05	  /* so often chance makes such a lead */
#define WORTH_TRYING 0.98 /* of the program's own time */
#define PLACES_RUNS 3	  /* of the best one, by OMP_PLACES: the median is not that of one disturbed run */

static int
take_runs(const char *text, unsigned *runs)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || value < RUNS_LEAST || value > RUNS_MOST)
		return complain("pin", "--runs %s is not a number from %d to %d", text, RUNS_LEAST, RUNS_MOST);
	*runs = (unsigned)value;
	return 0;
}

static int
take_value(struct pin *pin, enum option option, const char *value)
{
	const char *name = manual_of("pin")->options[option].name;
	if (!*value || (strcmp(value, "-") == 0 && (option == OUTPUT || option == SVG)))
		return complain("pin", "--%s '%s' is not valid; accepted: %s", name, value,
				option == MACHINE		   ? "a machine of `forestgomp sim --list`, or its file"
				: option == RUNS || option == SEED ? "a number"
								   : "a file's name");
	switch (option) {
	case MACHINE:
		pin->machine = sim_machine_path(value);
		return 0;
	case RUNS:
		return take_runs(value, &pin->budget);
	case FROM:
		pin->from = value;
		return 0;
	case PERF:
		pin->perf.path = value;
		return 0;
	case SVG:
		pin->svg = value;
		return 0;
	case OUTPUT:
		pin->output = value;
		return 0;
	default:
		pin->seed = value;
		return strspn(value, "0123456789") == strlen(value) && *value
			       ? 0
			       : complain("pin", "--seed %s is not a number", value);
	}
}

/* Returns 0, or an exit status; -1: help was asked for. */
static int
take_all(int argc, char **argv, struct pin *pin)
{
	const struct manual *manual = manual_of("pin");
	int i;
	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		const char *missing = NULL, *value = NULL;
		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		if (manual_asked(argv[i]))
			return -1;
		if (strcmp(argv[i], "--json") == 0 || strcmp(argv[i], "--given") == 0) {
			*(argv[i][2] == 'j' ? &pin->json : &pin->given) = true;
			continue;
		}
		for (unsigned k = 0; k < GIVEN && !value && !missing; k++) {
			value = option_value(argc, argv, &i, manual->options[k].name, manual->options[k].letter,
					     &missing);
			int status = value ? take_value(pin, k, value) : 0;
			if (status)
				return status;
		}
		if (missing)
			return complain("pin", "%s needs a value", missing);
		if (!value)
			return manual_unknown(manual, argv[i]);
	}
	pin->program = argv + i;
	pin->perf.trace = pin->from;
	if (pin->perf.path && !pin->from)
		return complain("pin", "--perf needs the trace of the same run: --from FILE");
	if (i == argc && !pin->from)
		return complain("pin", "which program? `forestgomp pin --help` tells how");
	return i == argc && pin->output
		       ? complain("pin", "--output needs a program, because nothing is written that was not measured")
		       : 0;
}

static int
check(struct pin *pin)
{
	static const char *const in_the_way[] = {"GOMP_CPU_AFFINITY", "FGOMP_TOPOLOGY"};
	const char *threads = getenv("FGOMP_THREADS");
	struct stat input;
	const char *written[] = {pin->output, pin->svg}, *why;
	for (unsigned i = 0; i < 2; i++)
		if (written[i] && (why = file_no_room(written[i])))
			return complain("pin", "cannot write %s: %s", written[i], why);
	if (pin->given && !pin->machine)
		return complain("pin", "--given is of a simulated machine: --machine M");
	if (!*pin->program)
		return 0;
	if (pin->svg && !pin->machine && !pin->from)
		return complain("pin",
				"--svg draws a recording: --from FILE, or that of a simulated machine: --machine M");
	if (getenv("OMP_PROC_BIND") || getenv("OMP_PLACES"))
		return complain("pin", "OMP_PROC_BIND or OMP_PLACES is set, and would win: unset them");
	for (unsigned i = 0; i < sizeof in_the_way / sizeof *in_the_way; i++)
		if (getenv(in_the_way[i]))
			return complain("pin", "%s is set, and no thread would be pinned: unset it", in_the_way[i]);
	if (threads && strcmp(threads, "kernel") == 0)
		return complain("pin", "FGOMP_THREADS=kernel is set, and no thread would be pinned: unset it");
	if (fstat(STDIN_FILENO, &input) == 0 && (S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode)))
		return complain("pin",
				"standard input is a pipe, which can be read only once: give the program a file");
	return run_is_script(*pin->program) ? 0 : run_startable("pin", *pin->program);
}

static int
find_machine(struct pin *pin)
{
	struct fg_cpuset allowed;
	if (pin->machine) {
		if (!fg_model_read(&pin->model, pin->machine))
			return sim_complain_machine(pin->machine, &pin->model);
		pin->tree = pin->model.machine;
		return 0;
	}
	fg_cpuset_affinity(&allowed);
	pin->tree = fg_machine_load(NULL, &allowed);
	if (!pin->tree)
		return complain("pin", "there is no memory for the machine");
	pin_plan_estimate(pin);
	return pin->tree->n_pus > 1 ? 0 : complain("pin", "there is one PU, so all threads sit there");
}

/* The size of the teams that take most of the time. 0: none has a PU for each member. */
static unsigned
find_threads(const struct pin *pin)
{
	double most = 0;
	unsigned threads = 0;
	for (unsigned r = 0; r < pin->n_regions; r++) {
		unsigned size = pin->region[r].size;
		double sum = 0;
		for (unsigned other = 0; other < pin->n_regions; other++)
			sum += pin->region[other].size == size ? pin->region[other].time[0] : 0;
		if (size > 1 && size <= pin->tree->n_pus && sum > most) {
			most = sum;
			threads = size;
		}
	}
	return threads;
}

static unsigned
fastest(const struct pin *pin, bool fixed_only)
{
	unsigned best = fixed_only ? 1 : 0;
	for (unsigned i = 1; i < pin->n; i++)
		if (pin->candidate[i].runs && !(fixed_only && pin->candidate[i].by_region) &&
		    pin_least(&pin->candidate[i]) < pin_least(&pin->candidate[best]))
			best = i;
	return best;
}

/* All once; then the one that seemed the best, and the program by itself, in turns. The first runs have chosen, so they
 * do not count in the test. */
static int
compare(struct pin *pin, struct pin_verdict *verdict)
{
	int status = 0;
	for (unsigned i = 1; i < pin->n && !status && !sim_interrupted(); i++)
		status = pin_measure(pin, i);
	unsigned fixed = pin->n;
	if (!status && !sim_interrupted()) {
		pin_plan_add(pin, fastest(pin, true));
		pin_candidates_combine(pin);
	}
	for (unsigned i = fixed; i < pin->n && !status && !sim_interrupted(); i++)
		status = pin_measure(pin, i);
	if (status || sim_interrupted())
		return status;
	verdict->fixed = fastest(pin, true);
	verdict->best = fastest(pin, false);
	verdict->chance = 1;
	if (pin_least(&pin->candidate[verdict->best]) > WORTH_TRYING * pin_least(&pin->candidate[0]))
		verdict->best = 0;
	if (!verdict->best)
		return 0;
	for (unsigned i = 0; i < pin->n; i++)
		pin->candidate[i].first = pin->candidate[i].runs;
	struct pin_candidate *own = &pin->candidate[0], *best = &pin->candidate[verdict->best];
	while (!status && !sim_interrupted() && best->runs < PIN_RUNS &&
	       (pin->runs + 2 <= pin->budget || best->runs - best->first < EACH_LEAST)) {
		bool turn = best->runs % 2;
		status = pin_measure(pin, turn ? verdict->best : 0);
		if (!status)
			status = pin_measure(pin, turn ? 0 : verdict->best);
	}
	if (status || sim_interrupted())
		return status;
	verdict->chance = pin_chance(best->time + best->first, best->runs - best->first, own->time + own->first,
				     own->runs - own->first);
	verdict->certain = verdict->chance <= CERTAIN && pin_median(best) <= WORTH_TRYING * pin_median(own);
	return 0;
}

/* A fixed placement is printed as OMP_PLACES, which binds teams of all sizes, and does not say which worker has which
 * PU. So this form is measured, too. It holds if it brings more than half of the gain. The simulated machine ignores
 * binding. */
static int
try_places(struct pin *pin, struct pin_verdict *verdict)
{
	const struct pin_candidate *own = &pin->candidate[0], *best = &pin->candidate[verdict->best];
	int status = 0;
	if (!verdict->certain || best->by_region || pin->machine)
		return 0;
	verdict->places = pin->n++;
	struct pin_candidate *printed = &pin->candidate[verdict->places];
	*printed =
		(struct pin_candidate){.name = "by OMP_PLACES", .by_places = true, .size = best->size, .pu = best->pu};
	while (printed->runs < PLACES_RUNS && !status && !sim_interrupted())
		status = pin_measure(pin, verdict->places);
	verdict->holds = 2 * pin_median(printed) < pin_median(own) + pin_median(best);
	return status;
}

static int
find(struct pin *pin, struct pin_verdict *verdict)
{
	int status;
	snprintf(pin->candidate[0].name, sizeof pin->candidate[0].name, "by itself");
	status = pin->machine || pin->from ? 0 : pin_record(pin);
	if (!status && !sim_interrupted())
		status = pin_measure(pin, 0);
	if (status || sim_interrupted())
		return status;
	pin->threads = find_threads(pin);
	if (!pin->threads) {
		complain("pin",
			 "no region of the program on ForestGOMP has a PU for each of its threads, so none is pinned");
		return 1;
	}
	status = pin_regions_check(pin);
	if (!status)
		status = pin_plan_match(pin);
	if (status)
		return status;
	pin_candidates_add(pin);
	status = compare(pin, verdict);
	if (!status && !sim_interrupted())
		status = try_places(pin, verdict);
	sim_progress(pin->runs, pin->runs, "");
	return status;
}

/* A file that does not pay is not written. */
static int
report(struct pin *pin, struct pin_verdict *verdict)
{
	int status = 0;
	if (pin->output && verdict->certain) {
		verdict->written = pin_write(pin, &pin->candidate[verdict->best], pin->output);
		if (!verdict->written) {
			complain("pin", "cannot write %s: %s", pin->output, strerror(errno));
			status = 1;
		}
	}
	(pin->json ? pin_print_json : pin_print)(pin, verdict);
	if (pin->output && !verdict->certain && !pin->json)
		printf("%s is not written, because no placement surely pays.\n", pin->output);
	return status ? status : pin_draw(pin);
}

/* Without a program: what the recording tells. */
static int
plan_only(struct pin *pin)
{
	pin->threads = pin->sharing.members;
	pin_candidates_add(pin);
	if (pin->n < 2)
		return complain("pin", "%s is of teams of %u, and there are %u PUs", pin->from, pin->threads,
				pin->tree->n_pus);
	pin_plan_add(pin, 1);
	if (pin->json) {
		pin_plan_print_json(pin);
		putchar('\n');
	} else
		pin_plan_print(pin);
	return pin_draw(pin);
}

int
command_pin(int argc, char **argv)
{
	static struct pin pin = {.seed = "1", .budget = 12};
	struct pin_verdict verdict = {.chance = 1};
	const char *temporary = getenv("TMPDIR");
	int status = take_all(argc, argv, &pin);
	if (status < 0) {
		manual_help(manual_of("pin"));
		return 0;
	}
	if (!status)
		status = check(&pin);
	if (!status)
		status = find_machine(&pin);
	if (!status && pin.from)
		status = pin_plan_read(&pin);
	if (status)
		return status;
	pin.n = 1;
	if (!*pin.program)
		return plan_only(&pin);
	snprintf(pin.folder, sizeof pin.folder, "%s/forestgomp-XXXXXX", temporary && *temporary ? temporary : "/tmp");
	if (!mkdtemp(pin.folder)) {
		complain("pin", "cannot make a folder '%s': %s", pin.folder, strerror(errno));
		return 1;
	}
	sim_interrupts_catch();
	status = find(&pin, &verdict);
	rmdir(pin.folder);
	sim_interrupts_end();
	return status ? status : report(&pin, &verdict);
}
