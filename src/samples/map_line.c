/* Map line (floor: samples): see map_line.h. */
#include "samples/map_line.h"

#include <string.h>

static uintptr_t
hexadecimal(const char **at)
{
	uintptr_t value = 0;
	for (;; (*at)++) {
		unsigned char c = (unsigned char)**at;
		if (c >= '0' && c <= '9')
			value = value * 16 + (c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value * 16 + (c - 'a' + 10u);
		else
			return value;
	}
}

/* START-END rw-p OFFSET MAJOR:MINOR INODE NAME. Memory without a file has the inode 0 and no name, or the name
 * "[heap]" or "[anon:...]". */
bool
fg_map_line_read(const char *line, uintptr_t *start, uintptr_t *end)
{
	*start = hexadecimal(&line);
	if (*line++ != '-')
		return false;
	*end = hexadecimal(&line);
	if (*start >= *end || strncmp(line, " rw-p ", 6) != 0)
		return false;
	line += 6;
	for (unsigned field = 0; field < 2; field++) {
		line += strcspn(line, " ");
		line += strspn(line, " ");
	}
	if (*line != '0')
		return false;
	line++;
	line += strspn(line, " ");
	return !*line || strncmp(line, "[heap]", 6) == 0 || strncmp(line, "[anon", 5) == 0;
}
