/* The program around the explorer: options, names of things, trace, report. It is linked into a library of its own.
 * So the program's own variables are exactly those of the scenarios and of the code under test. */
#include "explore.h"
#include "internal.h"
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct model_site *sites, *sites_end;
static const struct model_scenario *const *scenarios, *const *scenarios_end;
static struct {
	char *low, *saved;
	size_t size;
} variables;
static bool *sites_used; /* one per site, or NULL */
static const char *fault;
static double seconds = 1;
/* A broken variant may take at most HUNT times as long. It ends where it is caught, and machines are slow at times. */
#define HUNT 20
static enum model_search search;

void
model_site_note(const struct model_site *site)
{
	if (sites_used)
		sites_used[site - sites] = true;
}

static int
variables_find(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size, (void)arg;
	uintptr_t low = 0, high = 0, relro = 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_LOAD && p->p_flags & PF_W) {
			low = info->dlpi_addr + p->p_vaddr;
			high = low + p->p_memsz;
		}
		if (p->p_type == PT_GNU_RELRO)
			relro = (info->dlpi_addr + p->p_vaddr + p->p_memsz) & ~4095ul;
	}
	variables.low = (char *)(relro > low ? relro : low);
	variables.size = high - (uintptr_t)variables.low;
	return 1;
}

void
model_index_init(struct model_index *index, uint32_t size)
{
	index->slot = calloc(size, sizeof *index->slot);
	index->size = size;
}

void
model_program_reset(void)
{
	memcpy(variables.low, variables.saved, variables.size);
}

static void
variables_save(void)
{
	if (!variables.saved) {
		dl_iterate_phdr(variables_find, NULL);
		variables.saved = malloc(variables.size);
	}
	memcpy(variables.saved, variables.low, variables.size);
}

const char *
model_where(const void *code)
{
	static char text[4][256];
	static unsigned turn;
	char command[300], *out = text[turn++ % 4];
	snprintf(out, sizeof *text, "%p", code);
	if (!getenv("MODEL_NAMES"))
		return out;
	snprintf(command, sizeof command, "addr2line -fs -e /proc/%d/exe %p", getpid(), (const char *)code - 1);
	FILE *pipe = popen(command, "r");
	char function[100] = "", line[100] = "";
	if (pipe && fgets(function, sizeof function, pipe) && fgets(line, sizeof line, pipe))
		snprintf(out, sizeof *text, "%.*s (%.*s)", (int)strcspn(function, "\n"), function,
			 (int)strcspn(line, "\n"), line);
	if (pipe)
		pclose(pipe);
	return out;
}

const char *
model_name(const void *address)
{
	static char text[4][128];
	static unsigned turn;
	char *out = text[turn++ % 4];
	Dl_info info;
	uintptr_t a = (uintptr_t)address;
	if (dladdr(address, &info) && info.dli_sname)
		snprintf(out, sizeof *text, "%s+%#lx", info.dli_sname, a - (uintptr_t)info.dli_saddr);
	else if (a >> 36 == 0x610000000000 >> 36)
		snprintf(out, sizeof *text, "heap+%#lx", a - 0x610000000000);
	else if (a >> 36 == 0x620000000000 >> 36)
		snprintf(out, sizeof *text, "stack%lu-%#lx", (a - 0x620000000000) >> 18,
			 (1ul << 18) - (a & ((1ul << 18) - 1)));
	else
		snprintf(out, sizeof *text, "%p", address);
	return out;
}

void
model_trace(const char *format, ...)
{
	if (!model_run.tracing)
		return;
	va_list ap;
	va_start(ap, format);
	printf("  %4lu %*sT%u ", model_run.steps, 2 * model_run.current, "", model_run.current);
	vprintf(format, ap);
	printf("\n");
	va_end(ap);
}

void
model_note(const char *format, ...)
{
	char text[300];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	model_trace("%s", text);
}

bool
model_broken(const char *name)
{
	return fault && !strcmp(fault, name);
}

unsigned
model_oddity(unsigned n)
{
	return model_choose(n, 1, MODEL_ODDITY, NULL);
}

void
__assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
{
	model_fail("%s:%u: %s: assertion `%s' failed", file, line, function, assertion);
}

static void
on_fault(int signal, siginfo_t *info, void *context)
{
	(void)context;
	model_fail("signal %d (%s) at address %p", signal, strsignal(signal), info->si_addr);
}

static void
faults_catch(void)
{
	stack_t s = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
	sigaltstack(&s, NULL);
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &action, NULL);
}

/* Breaks the program as the text says ("weaken F:OP", "drop F:OP", "drop wake", "fault NAME"). Returns the number of
 * sites. */
static unsigned
breakage_set(const char *text)
{
	unsigned n = 0;
	char verb[16], function[80], operation[40];
	fault = NULL;
	model_wake_dropped = false;
	if (variables.saved)
		model_program_reset();
	for (struct model_site *s = sites; s < sites_end; s++)
		s->weaken = s->drop = 0;
	if (!text) {
		n = 1;
	} else if (!strncmp(text, "fault ", 6)) {
		fault = text + 6;
		n = 1;
	} else if (!strcmp(text, "drop wake")) {
		model_wake_dropped = true;
		n = 1;
	} else if (sscanf(text, "%15s %79[^:]:%39s", verb, function, operation) == 3) {
		int line = 0;
		char *at = strchr(operation, '@');
		if (at) {
			line = atoi(at + 1);
			*at = 0;
		}
		for (struct model_site *s = sites; s < sites_end; s++)
			if (!strcmp(s->function, function) && !strcmp(s->operation, operation) &&
			    (!line || s->line == line)) {
				*(strcmp(verb, "drop") ? &s->weaken : &s->drop) = 1;
				n++;
			}
	}
	variables_save();
	return n;
}

/* "1234 executions, 0.5 s" */
static const char *
effort(const struct model_report *r)
{
	static char text[60];
	snprintf(text, sizeof text, "%lu executions, %.1f s", r->exhaustive + r->random, r->seconds);
	return text;
}

static void
failure_print(const struct model_scenario *s, const char *broken, const struct model_report *r)
{
	printf("FAIL %s%s%s (%s): %s\n", s->name, broken ? " / " : "", broken ? broken : "", effort(r), r->failure);
	printf("  replay: %s %s%s%s%s --replay %s\n", program_invocation_name, s->name, broken ? " --broken '" : "",
	       broken ? broken : "", broken ? "'" : "", r->replay[0] ? r->replay : "0=0");
	setenv("MODEL_NAMES", "1", 1);
	model_replay(s, r->replay);
	unsetenv("MODEL_NAMES");
	fflush(stdout);
}

static bool
scenario_run(const struct model_scenario *s)
{
	struct model_report r;
	double share = seconds * (s->weight ? s->weight : 1);
	breakage_set(NULL);
	bool found = model_explore(s, share, search, &r);
	if (found != (s->finds != NULL) || (found && !strstr(r.failure, s->finds))) {
		if (found)
			failure_print(s, NULL, &r);
		else
			printf("FAIL %s (%s): did not find `%s'\n", s->name, effort(&r), s->finds ? s->finds : "");
		return false;
	}
	if (found)
		printf("PASS %s (%s: found, choices %s)\n", s->name, effort(&r), r.replay);
	else
		printf("PASS %s (%s, %lu of them exhaustive:%s)\n", s->name, effort(&r), r.exhaustive, r.searched);
	bool good = true;
	for (const char *const *b = s->broken; b && *b; b++) {
		if (!breakage_set(*b)) {
			printf("FAIL %s / %s: no such operation in the source\n", s->name, *b);
			good = false;
			continue;
		}
		bool caught = model_explore(s, HUNT * share, MODEL_HUNT, &r);
		if (caught)
			printf("PASS %s / %s (caught after %s: %.100s)\n", s->name, *b, effort(&r), r.failure);
		else
			printf("FAIL %s / %s (%s): the broken variant was not caught\n", s->name, *b, effort(&r));
		good = good && caught;
		fflush(stdout);
	}
	breakage_set(NULL);
	fflush(stdout);
	return good;
}

/* Looks for operations of the code under test that could be weaker or missing, although this scenario would not
 * notice. */
static void
mutants_run(const struct model_scenario *s)
{
	struct model_report r;
	breakage_set(NULL);
	size_t count = sites_end - sites;
	bool *used = sites_used = calloc(count, 1);
	model_explore(s, 0.3, MODEL_SHORT, &r);
	sites_used = NULL;
	for (size_t i = 0; i < count; i++) {
		struct model_site *site = sites + i;
		for (unsigned drop = 0; drop < 2; drop++) {
			char text[200];
			bool is_load = !strncmp(site->operation, "load", 4);
			if (!used[i] || (drop ? is_load : site->order == MODEL_RELAXED))
				continue;
			snprintf(text, sizeof text, "%s %s:%s@%d", drop ? "drop" : "weaken", site->function,
				 site->operation, site->line);
			breakage_set(text);
			bool caught = model_explore(s, seconds, MODEL_HUNT, &r);
			printf("%-8s %s / %s (%s, %s) %.120s\n", caught ? "caught" : "UNCAUGHT", s->name, text,
			       site->operand, effort(&r), caught ? r.failure : "");
			fflush(stdout);
		}
	}
	free(used);
	breakage_set(NULL);
}

static void
usage(void)
{
	fprintf(stderr,
		"usage: %s [--quick|--deep] [--seconds S] [--list] [--mutants] [SCENARIO [--broken TEXT] [--replay "
		"CHOICES]]\n",
		program_invocation_name);
	exit(2);
}

int
model_main(int argc, char **argv, struct model_program program)
{
	sites = program.sites;
	sites_end = program.sites_end;
	scenarios = program.scenarios;
	scenarios_end = program.scenarios_end;
	const char *name = NULL, *replay = NULL, *broken = NULL;
	bool list = false, mutants = false, good = true, met = false;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--quick"))
			seconds = 0.3;
		else if (!strcmp(argv[i], "--deep"))
			search = MODEL_THOROUGH, seconds = 10;
		else if (!strcmp(argv[i], "--list"))
			list = true;
		else if (!strcmp(argv[i], "--mutants"))
			mutants = true;
		else if (!strcmp(argv[i], "--seconds") && i + 1 < argc)
			seconds = atof(argv[++i]);
		else if (!strcmp(argv[i], "--broken") && i + 1 < argc)
			broken = argv[++i];
		else if (!strcmp(argv[i], "--replay") && i + 1 < argc)
			replay = argv[++i];
		else if (argv[i][0] != '-' && !name)
			name = argv[i];
		else
			usage();
	}
	if (replay && !name)
		usage();
	model_threads_init();
	faults_catch();
	for (const struct model_scenario *const *p = scenarios; p < scenarios_end; p++) {
		const struct model_scenario *s = *p;
		if (name && strcmp(name, s->name))
			continue;
		met = true;
		if (list) {
			printf("%s\n", s->name);
		} else if (mutants) {
			mutants_run(s);
		} else if (replay || broken) {
			struct model_report r;
			setenv("MODEL_NAMES", "1", 1);
			if (!breakage_set(broken)) {
				fprintf(stderr, "--broken: nothing in the source is named by `%s'\n", broken);
				return 2;
			}
			bool failed =
				replay ? model_replay(s, replay) : model_explore(s, 10 * seconds, MODEL_THOROUGH, &r);
			if (failed && !replay)
				failure_print(s, broken, &r);
			else
				printf("%s %s\n", failed ? "FAIL" : "PASS", s->name);
			good = good && !failed;
		} else {
			good = scenario_run(s) && good;
		}
	}
	if (!met) {
		fprintf(stderr, "no scenario is named `%s'; --list names them\n", name);
		return 2;
	}
	return good ? 0 : 1;
}
