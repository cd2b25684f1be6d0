/* Functions that all commands of `forestgomp` use (command.h). */
#include "command.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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
	return WRONG_USE;
}

int
finish(int status)
{
	bool failed = ferror(stdout);
	errno = 0;
	if (fflush(stdout) == 0 && !failed)
		return status;
	complain("", "cannot write standard output: %s", errno ? strerror(errno) : "an error before");
	return status ? status : 1;
}

/* Levenshtein's distance, as far as it is small. */
static unsigned
distance(const char *a, const char *b)
{
	unsigned row[33], n = (unsigned)strlen(b);
	if (n > 32 || strlen(a) > 32)
		return 99;
	for (unsigned k = 0; k <= n; k++)
		row[k] = k;
	for (unsigned i = 0; a[i]; i++) {
		unsigned corner = row[0];
		row[0] = i + 1;
		for (unsigned k = 0; k < n; k++) {
			unsigned change = corner + (a[i] != b[k]),
				 more = (row[k] < row[k + 1] ? row[k] : row[k + 1]) + 1;
			corner = row[k + 1];
			row[k + 1] = change < more ? change : more;
		}
	}
	return row[n];
}

const char *
most_like(const char *word, const char *const *list)
{
	const char *best = NULL;
	unsigned least = strlen(word) < 3 ? (unsigned)strlen(word) : 3;
	for (; *list; list++) {
		unsigned far = strncmp(*list, word, strlen(word)) == 0 && strlen(word) > 2 ? 1 : distance(word, *list);
		if (far < least) {
			least = far;
			best = *list;
		}
	}
	return best;
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
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	if (!isatty(file))
		return 0;
	if (columns && atoi(columns) > 0)
		return (unsigned)atoi(columns);
	return ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
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
