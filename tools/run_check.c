/* `forestgomp run`: values that only the library can judge, and `run --check`. For both the library is loaded into a
 * process of this command, which does nothing else. */
#include "command.h"
#include "base/options.h"
#include "platform/others.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child of read_child: its output, or its complaints, go into the pipe. */
static void
become(int pipe_end, int from, char *const *argv)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	dup2(null, STDIN_FILENO);
	dup2(from == STDOUT_FILENO ? null : pipe_end, STDERR_FILENO);
	dup2(from == STDOUT_FILENO ? pipe_end : null, STDOUT_FILENO);
	execv(argv[0], argv);
	_exit(127);
}

/* Runs a program in the environment as `change` makes it, and reads what it writes to `from`. The caller frees the
 * text. */
static char *
read_child(char *const *argv, int from, void (*change)(void *arg), void *arg)
{
	int ends[2], status;
	char *text = calloc(1, 65536);
	size_t length = 0;
	ssize_t got;
	if (!text || pipe2(ends, O_CLOEXEC) != 0)
		return text;
	pid_t child = fork();
	if (child == 0) {
		change(arg);
		become(ends[1], from, argv);
	}
	close(ends[1]);
	while (child > 0 && length < 65535 && (got = read(ends[0], text + length, 65535 - length)) != 0)
		if (got > 0)
			length += (size_t)got;
		else if (errno != EINTR)
			break;
	close(ends[0]);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return text;
}

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

static void
list_libraries(void *library)
{
	setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
	setenv("LD_PRELOAD", library, 1);
}

/* The runtimes of OpenMP that the dynamic linker would load with the program. Returns how many are not ours. */
static unsigned
print_runtimes(const struct run_call *call)
{
	char *path = program_path(call->program[0]), *save = NULL;
	char *argv[] = {path, NULL},
	     *text = path ? read_child(argv, STDOUT_FILENO, list_libraries, (void *)call->runtime) : NULL;
	unsigned others = 0;
	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		char *arrow = strstr(line, "=> "), *file = arrow ? arrow + 3 : line + strspn(line, " \t");
		file[strcspn(file, " ")] = '\0';
		if (strcmp(file, call->runtime) == 0 || !fg_others_is_runtime(file))
			continue;
		printf("also loaded: %s, with threads of its own\n", file);
		others++;
	}
	free(text);
	free(path);
	return others;
}

int
run_check(const struct run_call *call)
{
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
	if (!call->unserved && call->program[0] && print_runtimes(call) == 0)
		printf("no other OpenMP runtime is loaded at the start\n");
	free(text);
	if (call->unserved)
		printf("%s\n", call->unserved);
	return call->unserved ? 1 : 0;
}
