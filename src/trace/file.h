/* The file that the events of a trace go to (floor: trace; trace.c uses it; format.h describes its contents).
 *
 * The file is opened and closed outside the runtime, without a lock. A block is asked for as an event is written
 * (lane.h): perhaps in the preemption handler, and with a lock held. So nothing there allocates or locks. */
#pragma once
#include "trace/format.h"
#include <stdbool.h>
#include <stddef.h>

/* Makes the file and writes what is known already. `option` names the variable that has the file's name, and `loaded`
 * is the time at which the library was loaded. On false it could not be made, and the user has been told. `stop` ends
 * the trace, if somebody truncates the file. A signal handler may call it. */
bool fg_trace_file_open(const char *name, const char *option, uint64_t loaded, void (*stop)(void));
/* Returns a new block of events, mapped and empty; NULL if the file cannot grow. *offset is its place. Safe in a signal
 * handler. */
struct fg_trace_block *fg_trace_file_block(size_t bytes, uint64_t *offset);
struct fg_trace_block *fg_trace_file_map(uint64_t offset, size_t bytes);
void fg_trace_file_unmap(struct fg_trace_block *block, size_t bytes);
/* Appends a block that is not mapped. */
void fg_trace_file_append(enum fg_trace_kind kind, uint64_t count, const void *bytes, size_t size);
void fg_trace_file_close(uint64_t now, uint64_t dropped, unsigned n_lanes);
