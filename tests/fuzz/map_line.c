/* A line of /proc/self/maps: what it tells of is memory, and all of the line was read. */
#include "fuzz.h"
#include "samples/map_line.h"
#include <string.h>

void
fuzz_text(const char *text)
{
	uintptr_t start, end;
	if (!fg_map_line_read(text, &start, &end))
		return;
	const char *rights = strstr(text, " rw-p ");
	HOLDS(start < end && rights && memchr(text, '-', (size_t)(rights - text)));
	HOLDS(strchr(text, '[') || strspn(strrchr(text, '0') + 1, " ") == strlen(strrchr(text, '0') + 1));
}
