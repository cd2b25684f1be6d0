/* `forestgomp run`: starts a program with our libgomp.so.1 instead of any other. */
#include "command.h"
#include "base/options.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
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

/* "FGOMP_SLICE" -> "slice" */
static const char *
long_name(const struct fg_option *option)
{
	static char name[32];
	size_t i = 0;
	/* FGOMP_THREADS would clash with --threads, which must be a number. */
	if (option == &fg_option_table[FG_OPTION_threads])
		return "thread-kind";
	for (const char *p = option->name + strlen("FGOMP_"); *p && i < sizeof name - 1; p++)
		name[i++] = *p == '_' ? '-' : (char)tolower((unsigned char)*p);
	name[i] = '\0';
	return name;
}

static void
print_help(void)
{
	printf("Usage: forestgomp run [OPTIONS] PROGRAM [ARGUMENTS]\n\n"
	       "Runs PROGRAM, built by gcc with -fopenmp, on ForestGOMP. It need not be rebuilt. Programs with a libgomp of their\n"
	       "own under another name, such as Python wheels, are served too. The options set environment variables:\n\n");
	for (unsigned i = 0; i < N_STANDARD; i++)
		printf("  %s%c%s --%-12s %-22s %s\n", standard[i].letter ? "-" : " ",
		       standard[i].letter ? standard[i].letter : ' ', standard[i].letter ? "," : " ", standard[i].name,
		       standard[i].variable, standard[i].help);
	putchar('\n');
	for (unsigned i = 0; i < FG_OPTION_COUNT; i++) {
		const struct fg_option *option = &fg_option_table[i];
		printf("      --%-12s %-22s %s\n", long_name(option), option->name, option->help);
		if (option->type != FG_OPTION_FLAG)
			printf("%41s accepted: %s\n", "", option->accepted);
		if (option->type != FG_OPTION_FLAG && *option->preset)
			printf("%41s default: %s\n", "", option->preset);
	}
	printf("\n      --stats         print a table of the parallel regions at the end, on stderr: calls, time, imbalance, steals ...\n"
	       "      --json          the table as JSON\n"
	       "      --print         show the variables and the program, do not run it\n"
	       "      --              what follows is the program, even if it starts with a dash\n\n"
	       "Exit status: the program's; 127 if there is no such program, 126 if it cannot be run, 2 if the call is wrong.\n");
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

/* Handles argv[*i] if it is our option. Returns -1 if it is not; else an exit status. */
static int
take_option(int argc, char **argv, int *i)
{
	const char *missing = NULL, *value;
	for (unsigned s = 0; s < N_STANDARD; s++)
		if ((value = option_value(argc, argv, i, standard[s].name, standard[s].letter, &missing))) {
			setenv(standard[s].variable, value, 1);
			return 0;
		}
	for (struct fg_option *option = fg_option_table; option < fg_option_table + FG_OPTION_COUNT; option++) {
		const char *name = long_name(option);
		if (option->type == FG_OPTION_FLAG && strncmp(argv[*i], "--", 2) == 0 &&
		    strcmp(argv[*i] + 2, name) == 0) {
			setenv(option->name, "true", 1);
			return 0;
		}
		if (!(value = option_value(argc, argv, i, name, 0, &missing)))
			continue;
		if (!fg_option_set(option, value))
			return complain("run", "--%s %s is not valid; accepted: %s", name, value, option->accepted);
		setenv(option->name, value, 1);
		return 0;
	}
	return missing ? complain("run", "%s needs a value", missing) : -1;
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

/* Tells whether the file gives rights that the caller does not have (base/secure.h). */
static const char *
rights_of(const char *path)
{
	struct stat status;
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return NULL;
	if (status.st_mode & S_ISUID && status.st_uid != getuid())
		return "set-user-ID";
	if (status.st_mode & S_ISGID && status.st_mode & S_IXGRP && status.st_gid != getgid())
		return "set-group-ID";
	if (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
		return "capabilities";
	return NULL;
}

/* Looks for a name without a slash as execvp does. Returns NULL if nothing is found. */
static char *
path_of(const char *name)
{
	char *path = NULL;
	if (strchr(name, '/'))
		return strdup(name);
	const char *folder = getenv("PATH");
	for (size_t length; folder && *folder; folder += length + (folder[length] == ':')) {
		length = strcspn(folder, ":");
		if (asprintf(&path, "%.*s/%s", length ? (int)length : 1, length ? folder : ".", name) < 0)
			return NULL;
		if (access(path, X_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

static void
tell_rights(const char *name)
{
	char *path = path_of(name);
	const char *rights = path ? rights_of(path) : NULL;
	if (rights)
		complain("run",
			 "'%s' has rights of its own (%s): the system ignores LD_LIBRARY_PATH and LD_PRELOAD for it, and the "
			 "library all FGOMP_ variables; it runs on the libgomp.so.1 that is installed for it",
			 name, rights);
	free(path);
}

/* Returns an exit status, and only if the program cannot start. */
static int
start(char **argv)
{
	execvp(argv[0], argv);
	int error = errno;
	if (error == ENOENT || error == ENOTDIR) {
		complain("run",
			 access(argv[0], F_OK) == 0 ? "'%s' needs an interpreter that does not exist"
						    : "there is no program '%s'",
			 argv[0]);
		return 127;
	}
	complain("run", "cannot run '%s': %s", argv[0], strerror(error));
	return 126;
}

int
command_run(int argc, char **argv)
{
	bool print = false, stats = false, json = false;
	int i;
	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			print_help();
			return 0;
		}
		if (strcmp(argv[i], "--print") == 0) {
			print = true;
			continue;
		}
		if (strcmp(argv[i], "--stats") == 0) {
			stats = true;
			continue;
		}
		if (strcmp(argv[i], "--json") == 0) {
			json = true;
			continue;
		}
		int status = take_option(argc, argv, &i);
		if (status < 0)
			return complain("run", "no option is called '%s'; `forestgomp run --help` lists them", argv[i]);
		if (status > 0)
			return status;
	}
	if (json && !stats)
		return complain("run", "--json is the form of --stats, which is missing");
	if (i >= argc)
		return complain("run", "which program? `forestgomp run --help` tells how");
	const char *library = find_library();
	if (!library)
		return complain("run", "libgomp.so.1 of ForestGOMP is not where it was built or installed; run `make`");

	char *folder = strdup(library);
	*strrchr(folder, '/') = '\0';
	prepend("LD_LIBRARY_PATH", folder, ':');
	/* The preloaded copy also replaces a libgomp under another name. */
	if (strpbrk(library, " :"))
		complain("run",
			 "'%s' has a blank or a colon in its name and cannot be preloaded: a program with a libgomp of its own "
			 "under another name will not be served",
			 library);
	else
		prepend("LD_PRELOAD", library, ':');
	if (print) {
		print_call(argv + i);
		return 0;
	}
	tell_rights(argv[i]);
	if (!stats)
		return start(argv + i);
	const char *trace = getenv("FGOMP_TRACE");
	return run_with_stats(argv + i, trace && *trace ? trace : NULL, json, start);
}
