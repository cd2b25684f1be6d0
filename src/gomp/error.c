/* ABI: the error directive (floor: gomp). Compiled code calls these, as team/inside.h says. They only write a message,
 * and may end the process. */
#include <stdlib.h>
#include <string.h>

#include "base/export.h"
#include "base/log.h"

/* Returns the length of a message for printf's %.*s. The length (size_t)-1 means a C string. */
static int
length_of(const char *text, size_t length)
{
	if (length == (size_t)-1)
		length = strlen(text);
	return length > INT32_MAX ? INT32_MAX : (int)length;
}

FG_EXPORT void
GOMP_warning(const char *text, size_t length)
{
	if (text)
		fg_program_says("error directive encountered: %.*s", length_of(text, length), text);
	else
		fg_error("error directive encountered");
}

FG_EXPORT void
GOMP_error(const char *text, size_t length)
{
	if (!text)
		fg_fatal("fatal error: error directive encountered");
	fg_program_says("fatal error: error directive encountered: %.*s", length_of(text, length), text);
	exit(EXIT_FAILURE);
}
