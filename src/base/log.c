/* Messages to the user (floor: base). One write each, so that lines of several threads do not mix. */
#include "base/log.h"
#include "base/options.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
print(const char *prefix, const char *format, va_list args)
{
	int saved = errno;
	char text[1024];
	size_t size = sizeof text - 1; /* room for the newline */
	size_t used = (size_t)snprintf(text, size, "%s", prefix);
	int length = vsnprintf(text + used, size - used, format, args);
	if (length > 0)
		used += (size_t)length < size - used ? (size_t)length : size - used - 1;
	text[used++] = '\n';
	ssize_t ignored = write(STDERR_FILENO, text, used);
	(void)ignored;
	errno = saved;
}

void
fg_fatal(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	print("\nlibgomp: ", format, args);
	va_end(args);
	exit(EXIT_FAILURE);
}

void
fg_error(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	print("\nlibgomp: ", format, args);
	va_end(args);
}

void
fg_note(const char *format, ...)
{
	if (!fg_options.verbose)
		return;
	va_list args;
	va_start(args, format);
	print("libgomp: ", format, args);
	va_end(args);
}
