/* Messages to the user (floor: base). Each is one write, so that lines of several threads do not mix. */
#include "base/log.h"
#include "base/above.h"
#include "base/options.h"
#include "base/uncancelled.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM 960 /* of a line: the caller's stack may be small */

/* A message shows a newline, and bytes that a terminal would obey, as text. (A zero byte is not such a byte: libgomp
 * prints one where a format ends early.) */
static bool
is_shown(unsigned char c)
{
	return (c && c < ' ') || c == 0x7f;
}

/* Spells the byte at `at` as text. What does not fit is cut off at `last`. Returns the end of the line, and moves *at
 * to the last byte of the text. */
static size_t
spell(char *line, size_t *at, size_t end, size_t last)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char byte = (unsigned char)line[*at];
	const char text[] = {'\\', byte == '\n' ? 'n' : 'x', digits[byte >> 4], digits[byte & 15]};
	size_t length = byte == '\n' ? 2 : sizeof text, rest = end - *at - 1;
	if (*at + length > last)
		return *at;
	if (rest > last - *at - length)
		rest = last - *at - length;
	memmove(line + *at + length, line + *at + 1, rest);
	memcpy(line + *at, text, length);
	*at += length - 1;
	return *at + 1 + rest;
}

static void
print(const char *prefix, bool as_it_is, const char *format, va_list args)
{
	int saved = errno;
	char line[ROOM];
	size_t begin = strlen(prefix), last = sizeof line - 1; /* where the newline must be */
	memcpy(line, prefix, begin);
	int length = vsnprintf(line + begin, sizeof line - begin, format, args);
	size_t end = begin + (length < 0 ? 0 : (size_t)length);
	if (end > last)
		end = last;
	for (size_t at = begin; !as_it_is && at < end; at++)
		if (is_shown((unsigned char)line[at]))
			end = spell(line, &at, end, last);
	line[end++] = '\n';
	int cancel = fg_uncancelled_begin();
	ssize_t ignored = write(STDERR_FILENO, line, end);
	(void)ignored;
	fg_uncancelled_end(cancel);
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
	fg_uncancelled_begin();
	if (&fg_base_above)
		fg_base_above.process_ends();
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
