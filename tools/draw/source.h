/* The place of a function in its source (command; called by story_regions.c). libdw of elfutils reads it from the
 * debug information, where that is: in the file, or beside it as the distribution has it. */
#pragma once
#include "draw/trace_read.h"

/* The file and the line at which the function with this address begins. The file is empty where they are not known. */
void fg_trace_source(const struct fg_trace *trace, uint64_t function, char *file, size_t size, unsigned *line);
/* Why no line can be known at all; NULL: nothing is in the way. */
const char *fg_trace_source_missing(void);
