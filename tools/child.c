/* Programs that the command starts to read what they print (command.h). */
#include "command.h"
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

char *
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
		if (change)
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

static void
list_libraries(void *preloaded)
{
	setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
	if (preloaded)
		setenv("LD_PRELOAD", preloaded, 1);
	else
		unsetenv("LD_PRELOAD");
}

void
program_loads(const char *path, const char *preloaded, void (*tell)(const char *file, void *arg), void *arg)
{
	char *argv[] = {(char *)path, NULL}, *save = NULL;
	struct program_facts facts;
	program_look(path, &facts);
	if (!facts.tells_loads || program_rights(path)) /* it might run */
		return;
	char *text = read_child(argv, STDOUT_FILENO, list_libraries, (void *)preloaded);
	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		char *arrow = strstr(line, "=> "), *file = arrow ? arrow + 3 : line + strspn(line, " \t");
		file[strcspn(file, " ")] = '\0';
		tell(file, arg);
	}
	free(text);
}

char *
python_folders(const char *python)
{
	static char code[] = "from os.path import basename, isdir, realpath\n"
			     "import sys\n"
			     "own = [p for p in sys.path if basename(p) in ('site-packages', 'dist-packages')]\n"
			     "print(*dict.fromkeys(realpath(p) for p in own if isdir(p)), sep='\\n')\n";
	char *argv[] = {(char *)python, "-c", code, NULL};
	char *text = read_child(argv, STDOUT_FILENO, NULL, NULL);
	if (text && text[0] == '/')
		return text;
	free(text);
	return NULL;
}
