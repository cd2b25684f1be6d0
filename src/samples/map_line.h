/* Map line: one line of /proc/self/maps (floor: samples; called by mappings.c). Any thread may call. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* The line has no newline. True: it tells of a private mapping without a file that may be read and written, which is
 * [start, end). Any other text gives false. */
bool fg_map_line_read(const char *line, uintptr_t *start, uintptr_t *end);
