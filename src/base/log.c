/* Messages to the user (floor: base). Each is one write, so that lines of several threads do not mix. */
#include "base/log.h"
#include "base/options.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM 1024

void (*fg_fatal_ends)(void);

/* A message shows a newline, and bytes that a terminal would obey, as text. (A zero byte is not such a byte: libgomp
 * prints one where a format ends early.) */
static bool
is_shown(unsigned char c)
{
	return (c && c < ' ') || c == 0x7f;
}

static void
print(const char *prefix, bool as_it_is, const char *format, va_list args)
{
	int saved = errno;
	char text[ROOM], line[ROOM];
	int length = vsnprintf(text, sizeof text, format, args);
	size_t end = length < 0 ? 0 : (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
	size_t used = strlen(prefix), last = sizeof line - sizeof "\\x7f"; /* for one such byte and the newline */
	memcpy(line, prefix, used);
	for (size_t i = 0; i < end && used < last; i++) {
		if (as_it_is || !is_shown((unsigned char)text[i]))
			line[used++] = text[i];
		else
			used += (size_t)sprintf(line + used, text[i] == '\n' ? "\\n" : "\\x%02x", text[i]);
	}
	line[used++] = '\n';
	ssize_t ignored = write(STDERR_FILENO, line, used);
	(void)ignored;
	errno = saved;
}

bool fg_log_ends;

void
fg_fatal(const char *format, ...)
{
	fg_log_ends = true;
	va_list args;
	va_start(args, format);
	print("\nlibgomp: ", false, format, args);
	va_end(args);
	if (fg_fatal_ends)
		fg_fatal_ends();
	exit(EXIT_FAILURE);
}

void
fg_error(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	print("\nlibgomp: ", false, format, args);
	va_end(args);
}

void
fg_program_says(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	print("\nlibgomp: ", true, format, args);
	va_end(args);
}

void
fg_note(const char *format, ...)
{
	if (!fg_options.verbose)
		return;
	va_list args;
	va_start(args, format);
	print("libgomp: ", false, format, args);
	va_end(args);
}

void
fg_report(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	print("libgomp: ", false, format, args);
	va_end(args);
}
