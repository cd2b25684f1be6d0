/* `forestgomp run`: starts a program with our libgomp.so.1 instead of any other. */
#include "command.h"
#include "manual.h"
#include "base/options.h"
#include "platform/file.h"
#include "platform/process.h"
#include "trace/format.h"
#include "trace/path.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* These variables of OpenMP have an option on the command line. */
static const struct {
	const char *name, *variable, *help;
	char letter;
} standard[] = {
	{"threads", "OMP_NUM_THREADS", "N[,N...]: threads of a region, at each level of nesting", 'n'},
	{"levels", "OMP_MAX_ACTIVE_LEVELS", "N: levels of nested regions that get several threads", 'l'},
	{"bind", "OMP_PROC_BIND", "true, false, spread, close, primary", 'b'},
	{"places", "OMP_PLACES", "threads, cores, sockets, or a list such as {0,1},{2,3}", 'p'},
	{"schedule", "OMP_SCHEDULE", "KIND[,CHUNK]: loops with schedule(runtime)", 0},
};
#define N_STANDARD (sizeof standard / sizeof *standard)

static const char *
long_name(const struct fg_option *option)
{
	return manual_option_of_variable((unsigned)(option - fg_option_table));
}

/* Puts `first` before the value of a variable that is separated by colons or spaces. */
static void
prepend(const char *variable, const char *first, char separator)
{
	const char *old = getenv(variable);
	char *text;
	if (asprintf(&text, "%s%.*s%s", first, old && *old ? 1 : 0, &separator, old ? old : "") > 0)
		setenv(variable, text, 1);
}

/* Values of the command line that only the library can judge, in the order of their options. */
static struct {
	const char *variable, *option, *value, *accepted;
} given[N_STANDARD + FG_OPTION_COUNT];
static unsigned n_given;
static bool on_line[FG_OPTION_COUNT]; /* the option was given on the command line */

static void
judge_later(const char *variable, const char *option, const char *value, const char *accepted)
{
	unsigned i = 0;
	while (i < n_given && strcmp(given[i].variable, variable) != 0)
		i++;
	given[i].variable = variable;
	given[i].option = strdup(option);
	given[i].value = value;
	given[i].accepted = accepted;
	n_given += i == n_given;
}

static bool
is_plain_number(const char *value)
{
	return *value >= '1' && *value <= '9' && strlen(value) < 7 && strspn(value, "0123456789") == strlen(value);
}

/* A name of a policy without more needs no look. */
static bool
is_clear(const struct fg_option *option, const char *value)
{
	if (option == &fg_option_table[FG_OPTION_sched])
		return !strpbrk(value, "/,+");
	return option != &fg_option_table[FG_OPTION_carrier] || strcmp(value, "live") == 0;
}

/* Handles argv[*i] if it is our option. Returns -1 if it is not; else an exit status. */
static int
take_option(int argc, char **argv, int *i)
{
	const char *missing = NULL, *value;
	for (unsigned s = 0; s < N_STANDARD; s++)
		if ((value = option_value(argc, argv, i, standard[s].name, standard[s].letter, &missing))) {
			setenv(standard[s].variable, value, 1);
			if (!(s < 2 && is_plain_number(value)))
				judge_later(standard[s].variable, standard[s].name, value, standard[s].help);
			return 0;
		}
	for (struct fg_option *option = fg_option_table; option < fg_option_table + FG_OPTION_COUNT; option++) {
		const char *name = long_name(option);
		if (option == &fg_option_table[FG_OPTION_stats] || option == &fg_option_table[FG_OPTION_memory])
			continue;
		if (option->type == FG_OPTION_FLAG && strncmp(argv[*i], "--", 2) == 0 &&
		    strcmp(argv[*i] + 2, name) == 0) {
			setenv(option->name, "true", 1);
			fg_option_set(option, "true");
			on_line[option - fg_option_table] = true;
			return 0;
		}
		if (!(value = option_value(argc, argv, i, name, 0, &missing)))
			continue;
		if (!fg_option_set(option, value))
			return complain("run", "--%s %s is not valid; accepted: %s", name, value, option->accepted);
		if ((option->type == FG_OPTION_POLICY || option == &fg_option_table[FG_OPTION_carrier]) &&
		    !is_clear(option, value))
			judge_later(option->name, name, value, option->accepted);
		on_line[option - fg_option_table] = true;
		setenv(option->name, value, 1);
		return 0;
	}
	return missing ? complain("run", "%s needs a value", missing) : -1;
}

/* The library tells more about its own options: "FGOMP_SCHED=VALUE: REASON; accepted: WORDS; using default". */
static int
not_valid(unsigned i, const char *complaint)
{
	size_t length = strlen(given[i].variable) + strlen(given[i].value) + 2;
	const char *end = strstr(complaint, "; using ");
	if (end && strstr(complaint, "accepted:") && strlen(complaint) > length && complaint[length - 1] == ':')
		return complain("run", "--%s %s is not valid:%.*s", given[i].option, given[i].value,
				(int)(end - complaint - (ptrdiff_t)length), complaint + length);
	return complain("run", "--%s %s is not valid; accepted: %s", given[i].option, given[i].value,
			given[i].accepted);
}

static int
judge_values(const char *library)
{
	const char *variables[N_STANDARD + FG_OPTION_COUNT];
	for (unsigned i = 0; i < n_given; i++)
		variables[i] = given[i].variable;
	const char *complaint = n_given ? run_judge(library, variables, n_given) : NULL;
	for (unsigned i = 0; complaint && i < n_given; i++)
		if (strstr(complaint, given[i].variable))
			return not_valid(i, complaint);
	return complaint ? complain("run", "%s", complaint) : 0;
}

/* The file of an older trace of this name goes, or it would be taken for that of this run, and so does an empty file.
 * One that is being written stays, and so do other files. */
static void
remove_old_trace(const char *path)
{
	struct fg_trace_head head;
	FILE *file = fg_file_is_special(path) ? NULL : fopen(path, "re");
	if (!file)
		return;
	size_t got = fread(&head, 1, sizeof head, file);
	bool empty = got == 0 && feof(file);
	bool ours = got == sizeof head && memcmp(head.magic, FG_TRACE_MAGIC, sizeof head.magic) == 0;
	fclose(file);
	if (empty || (ours && (head.end || !fg_process_is_there((int)head.pid))))
		unlink(path);
}

/* Gives each program of a script a file of its own, and makes sure that there will be one. Returns 0, or an exit
 * status. */
static int
prepare_trace(const char *name)
{
	char path[FG_TRACE_PATH], *further;
	bool numbered = false;
	if (!fg_trace_path(name, 1, path, sizeof path, &numbered))
		return complain("run", "--trace %s is not valid: %s", name, path);
	if (!strchr(name, '%')) {
		remove_old_trace(path);
		for (unsigned number = 2; number < FG_TRACE_NUMBERS; number++) {
			if (asprintf(&further, "%s.%u", path, number) < 0)
				return 1;
			bool there = access(further, F_OK) == 0;
			if (there)
				remove_old_trace(further);
			free(further);
			if (!there)
				break;
		}
		if (asprintf(&further, "%s%%n", name) > 0)
			setenv("FGOMP_TRACE", further, 1);
	}
	const char *why = numbered ? NULL : fg_trace_path_refused(path); /* a number makes a name that is free */
	if (why)
		return complain("run", "--trace %s: %s", name, why);
	char *slash = strrchr(path, '/');
	if (slash)
		slash[slash == path] = '\0';
	why = trace_no_room(slash ? path : ".");
	return why ? complain("run", "--trace %s: cannot write there: %s", name, why) : 0;
}

/* --print shows these variables, because an OpenMP program reads them. */
static void
print_call(char **argv)
{
	static const char *const prefixes[] = {"LD_LIBRARY_PATH=", "LD_PRELOAD=", "OMP_", "GOMP_", "FGOMP_"};
	for (char **entry = environ; *entry; entry++)
		for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
			if (strncmp(*entry, prefixes[i], strlen(prefixes[i])) == 0)
				puts(*entry);
	for (char **word = argv; *word; word++)
		printf("%s%s", *word, word[1] ? " " : "\n");
}

static void
tell_rights(const char *name)
{
	char *path = program_path(name);
	const char *rights = path ? program_rights(path) : NULL;
	if (rights)
		complain("run",
			 "'%s' has rights of its own (%s): the system ignores LD_LIBRARY_PATH and LD_PRELOAD for it, "
			 "and the library all FGOMP_ variables; it runs on the libgomp.so.1 that is installed for it",
			 name, rights);
	free(path);
}

/* --memory, or --memory=WORD. Returns as take_own. */
static int
take_memory(const char *word)
{
	struct fg_option *option = &fg_option_table[FG_OPTION_memory];
	if (strncmp(word, "--memory", 8) != 0 || (word[8] && word[8] != '='))
		return -1;
	const char *value = word[8] ? word + 9 : "auto+report";
	if (!fg_option_set(option, value))
		return complain("run", "--memory=%s is not valid; accepted: %s", value, option->accepted);
	setenv(option->name, value, 1);
	return 0;
}

/* Handles the options that set no variable. Returns -1 if it is none of them; else an exit status. */
static int
take_own(int argc, char **argv, int *i, struct run_call *call)
{
	const char *missing = NULL, *value, *word = argv[*i];
	int status;
	bool *flag = strcmp(word, "--print") == 0					? &call->print
		     : strcmp(word, "--check") == 0					? &call->check
		     : strcmp(word, "--json") == 0					? &call->json
		     : strcmp(word, "--emulate") == 0					? &call->emulate
		     : strncmp(word, "--stats", 7) == 0 && (!word[7] || word[7] == '=') ? &call->stats
											: NULL;
	if (flag) {
		*flag = true;
		if (flag == &call->stats && word[7] && !(call->stats_file = word + 8)[0])
			return complain("run", "--stats= needs a file's name");
		return 0;
	}
	if ((status = take_memory(word)) >= 0 || (status = run_take_mpi(word, call)) >= 0)
		return status;
	if ((value = option_value(argc, argv, i, "top", 0, &missing)))
		return take_top("run", value, &call->top);
	return missing ? complain("run", "%s needs a value", missing) : -1;
}

static int
complain_of_stats(const struct run_call *call)
{
	if ((call->json || call->top) && !call->stats)
		return complain("run", "%s is of --stats, which is missing", call->json ? "--json" : "--top");
	return 0;
}

/* Reads the options. Returns 0, or an exit status; *help says that help was asked for. */
static int
take_all(int argc, char **argv, struct run_call *call, bool *help)
{
	int i, status;
	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		*help = strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
		if (*help)
			return 0;
		status = take_own(argc, argv, &i, call);
		if (status < 0)
			status = take_option(argc, argv, &i);
		if (status < 0 && (status = run_take_python(argc, argv, i, call)) == 0)
			return complain_of_stats(call);
		if (status)
			return status < 0 ? manual_unknown(manual_of("run"), argv[i]) : status;
	}
	call->program = argv + i;
	if ((status = complain_of_stats(call)))
		return status;
	return i >= argc && !call->check ? complain("run", "which program? `forestgomp run --help` tells how") : 0;
}

static void
choose_library(const char *library)
{
	char *folder = strdup(library);
	*strrchr(folder, '/') = '\0';
	prepend("LD_LIBRARY_PATH", folder, ':');
	/* The preloaded copy also replaces a libgomp under another name. */
	if (strpbrk(library, " :"))
		complain("run",
			 "'%s' has a blank or a colon in its name and cannot be preloaded: a program with a libgomp of "
			 "its own under another name will not be served",
			 library);
	else
		prepend("LD_PRELOAD", library, ':');
	free(folder);
}

int
command_run(int argc, char **argv)
{
	struct run_call call = {0};
	char *object = NULL;
	bool help = false;
	int status = take_all(argc, argv, &call, &help);
	if (help)
		manual_help(manual_of("run"));
	if (status || help)
		return status;
	call.runtime = find_library();
	if (!call.runtime)
		return complain("run", "libgomp.so.1 of ForestGOMP is not where it was built or installed; run `make`");
	const char *preloadable = run_preloadable(call.runtime);
	if (preloadable)
		call.runtime = preloadable;
	if ((status = run_script(&call)) || (status = run_judge_files(on_line)) ||
	    (status = judge_values(call.runtime)) || (status = run_find_mpi(&call, &object)))
		return status;
	call.unserved = call.program[0] ? program_unserved(call.program[0]) : NULL;
	if (call.check)
		return run_check(&call);
	if (on_line[FG_OPTION_trace]) {
		call.trace = fg_options.trace;
		if (!call.print && (status = prepare_trace(call.trace)))
			return status;
	}
	if (object)
		prepend("LD_PRELOAD", object, ':');
	const char *marks = run_emulate_marks(&call);
	if (marks)
		prepend("LD_PRELOAD", marks, ':');
	choose_library(call.runtime);
	if (call.emulate && (status = run_emulate(&call)))
		return status;
	if (call.print) {
		print_call(call.program);
		return 0;
	}
	tell_rights(call.program[0]);
	if (call.unserved && !call.stats && !call.trace)
		complain("run", "%s", call.unserved);
	return call.stats || call.trace ? run_watched(&call, run_start) : run_start(call.program);
}
