/* `forestgomp run`: values that only the library can judge, and `run --check`. For both the library is loaded into a
 * process of this command, which does nothing else. */
#include "command.h"
#include "base/options.h"
#include "platform/others.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct judged {
	const char *library;
	const char *const *variables;
	unsigned n;
};

static bool
is_listed(const struct judged *judged, const char *entry)
{
	for (unsigned i = 0; i < judged->n; i++) {
		size_t length = strlen(judged->variables[i]);
		if (strncmp(entry, judged->variables[i], length) == 0 && entry[length] == '=')
			return true;
	}
	return false;
}

/* Variables that the command line did not set keep what they have: the library complains of them when the program
 * runs. */
static void
only_listed(void *arg)
{
	const struct judged *judged = arg;
	char name[256];
	for (char **entry = environ; *entry;) {
		size_t length = strcspn(*entry, "=");
		bool ours = strncmp(*entry, "OMP_", 4) == 0 || strncmp(*entry, "GOMP_", 5) == 0 ||
			    strncmp(*entry, "FGOMP_", 6) == 0;
		if (!ours || is_listed(judged, *entry) || length >= sizeof name) {
			entry++;
			continue;
		}
		snprintf(name, sizeof name, "%.*s", (int)length, *entry);
		unsetenv(name);
	}
	setenv("LD_PRELOAD", judged->library, 1);
}

const char *
run_judge(const char *library, const char *const *variables, unsigned n)
{
	char *argv[] = {"/proc/self/exe", "run", "--help", NULL};
	struct judged judged = {library, variables, n};
	char *text = read_child(argv, STDERR_FILENO, only_listed, &judged);
	char *line = text ? strstr(text, "libgomp: ") : NULL;
	if (!line)
		return NULL;
	line += strlen("libgomp: ");
	line[strcspn(line, "\n")] = '\0';
	return line;
}

static void
verbosely(void *library)
{
	setenv("FGOMP_VERBOSE", "true", 1);
	setenv("LD_PRELOAD", library, 1);
	unsetenv("FGOMP_TRACE");
	unsetenv("FGOMP_STATS");
}

struct others {
	const char *ours;
	unsigned count;
};

static void
print_other(const char *file, void *arg)
{
	struct others *others = arg;
	if (strcmp(file, others->ours) == 0 || !fg_others_is_runtime(file))
		return;
	printf("also loaded: %s, with threads of its own\n", file);
	others->count++;
}

/* The runtimes of OpenMP that the dynamic linker would load with the program. Packages of Python come later. */
static void
print_runtimes(const struct run_call *call)
{
	struct others others = {call->runtime, 0};
	char *path = program_path(call->program[0]);
	if (path)
		program_loads(path, call->runtime, print_other, &others);
	const char *name = path ? strrchr(path, '/') : NULL;
	if (name && strncmp(name, "/python", 7) == 0)
		printf("`forestgomp doctor` tells which OpenMP runtimes the packages of Python bring\n");
	else if (others.count == 0)
		printf("no other OpenMP runtime is loaded at the start\n");
	free(path);
}

static void
quietly(void *library)
{
	verbosely(library);
	unsetenv("FGOMP_VERBOSE");
}

/* Prints what the library says of variables that are wrong. Returns the number of lines. */
static unsigned
print_complaints(char *const *argv, const struct run_call *call)
{
	static const char start[] = "libgomp: ";
	unsigned n = 0;
	char *text = read_child(argv, STDERR_FILENO, quietly, (void *)call->runtime), *save = NULL;
	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save))
		if (strncmp(line, start, strlen(start)) == 0) {
			printf("%s\n", line + strlen(start));
			n++;
		}
	free(text);
	return n;
}

int
run_check(const struct run_call *call)
{
	int status = call->program[0] ? run_startable("run", call->program[0]) : 0;
	if (status)
		return status;
	static const char start[] = "libgomp: served by ";
	char *argv[] = {"/proc/self/exe", "run", "--help", NULL};
	char *text = read_child(argv, STDERR_FILENO, verbosely, (void *)call->runtime),
	     *line = text ? strstr(text, start) : NULL;
	if (!line) {
		complain("run", "--check: '%s' cannot be loaded", call->runtime);
		return 1;
	}
	line += strlen(start);
	line[strcspn(line, "\n")] = '\0';
	printf("%s\n", line);
	status = print_complaints(argv, call) != 0;
	if (!call->unserved && call->program[0])
		print_runtimes(call);
	free(text);
	if (call->unserved)
		printf("%s\n", call->unserved);
	return call->unserved || status;
}
