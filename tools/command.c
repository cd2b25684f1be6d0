/* Functions that all commands of `forestgomp` use (command.h). */
#include "command.h"
#include "machine/cpuset.h"
#include "terminal.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

const char *bold = "", *dim = "", *green = "", *plain = "";

void
choose_colours(int file)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	bold = dim = green = plain = "";
	if (!isatty(file) || (no_color && *no_color) || (term && strcmp(term, "dumb") == 0))
		return;
	bold = "\033[1m";
	dim = "\033[2m";
	green = "\033[32m";
	plain = "\033[0m";
}

int
complain(const char *command, const char *format, ...)
{
	va_list args;
	fprintf(stderr, "forestgomp%s%s: ", *command ? " " : "", command);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return strcmp(command, "run") == 0 ? WRONG_RUN : WRONG_USE;
}

void
set_text(const struct fg_cpuset *set, char *text, size_t size)
{
	if (fg_cpuset_format(set, text, size) < (int)size)
		return;
	text[size - 4] = '\0';
	char *comma = strrchr(text, ',');
	strcpy(comma ? comma + 1 : text, "...");
}

bool
is_file(const char *name)
{
	struct stat status;
	return stat(name, &status) == 0 && S_ISREG(status.st_mode);
}

bool
same_file(const char *a, const char *b)
{
	struct stat first, second;
	return stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISREG(first.st_mode) &&
	       first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

int
finish(int status)
{
	bool failed = ferror(stdout);
	errno = 0;
	if (fflush(stdout) == 0 && !failed)
		return status;
	complain("", "cannot write standard output%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
	return status ? status : 1;
}

int
take_top(const char *command, const char *value, unsigned *top)
{
	char *end;
	unsigned long number = strtoul(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || number < 1 || number > 1000000)
		return complain(command, "--top %s is not valid; accepted: a number from 1", value);
	*top = (unsigned)number;
	return 0;
}

unsigned
columns_of(int file)
{
	return isatty(file) ? terminal_columns_of(file) : 0;
}

const char *
find_library(void)
{
	static const char *const places[] = {"/../lib/libgomp.so.1", "/../" FG_LIBDIR "/forestgomp/libgomp.so.1"};
	char path[4096], *found;
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 256);
	if (length > 0) {
		path[length] = '\0';
		char *end = strrchr(path, '/');
		for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
			strcpy(end, places[i]);
			/* The folder's links are resolved, but the file's are not: programs look for the name
			 * libgomp.so.1. */
			char *slash = strrchr(path, '/');
			if (access(path, R_OK) != 0)
				continue;
			*slash = '\0';
			char *folder = realpath(path, NULL);
			if (folder && asprintf(&found, "%s/libgomp.so.1", folder) > 0)
				return found;
		}
	}
	static const char installed[] = FG_PREFIX "/" FG_LIBDIR "/forestgomp/libgomp.so.1";
	return access(installed, R_OK) == 0 ? installed : NULL;
}

const char *
option_value(int argc, char **argv, int *i, const char *name, char letter, const char **missing)
{
	const char *word = argv[*i];
	size_t length = strlen(name);
	bool is_long = strncmp(word, "--", 2) == 0 && strncmp(word + 2, name, length) == 0;
	if (is_long && word[2 + length] == '=')
		return word + 3 + length;
	bool is_short = letter && word[0] == '-' && word[1] == letter;
	if (is_short && word[2])
		return word + 2;
	if (!is_short && !(is_long && word[2 + length] == '\0'))
		return NULL;
	if (*i + 1 >= argc) {
		*missing = word;
		return NULL;
	}
	return argv[++*i];
}
