/* The terminal (terminal.h). */
#include "terminal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

unsigned
terminal_columns_of(int file)
{
	const char *text = getenv("COLUMNS");
	struct winsize size;
	char *end;
	unsigned long columns = text ? strtoul(text, &end, 10) : 0;
	if (columns && !*end && columns < 10000)
		return (unsigned)columns;
	return isatty(file) && ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

unsigned
terminal_columns(void)
{
	return terminal_columns_of(STDOUT_FILENO);
}

unsigned
terminal_rows(void)
{
	struct winsize size;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

static bool
moves_cursor(int file)
{
	const char *term = getenv("TERM");
	return isatty(file) && !(term && strcmp(term, "dumb") == 0);
}

bool
terminal_redraws(void)
{
	return moves_cursor(STDOUT_FILENO);
}

bool
terminal_shows_status(void)
{
	return moves_cursor(STDERR_FILENO);
}

/* The cursor stays at the line's begin, so the program's own output goes over the line. */
void
terminal_status(const char *text)
{
	static bool shown;
	unsigned columns = terminal_columns_of(STDERR_FILENO);
	if (!terminal_shows_status() || (!*text && !shown))
		return;
	fprintf(stderr, "\r\033[K%.*s\r", columns ? (int)columns - 1 : 79, text);
	shown = *text;
}
