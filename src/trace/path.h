/* Path: the name of a trace's file, in which signs stand for facts of the process (floor: trace; called by file.c, and
 * by the command). The caller is outside the runtime, without a lock. Nothing is kept. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define FG_TRACE_PATH 4096
#define FG_TRACE_NUMBERS 10000 /* files that %n tells apart */

/* Writes the name: %p is the process, %h the host, %q{NAME} a variable of the environment, %% a percent sign. %n is
 * nothing for number 1, and ".NUMBER" for others; *numbered tells that it is there. On false the name cannot be made,
 * and `path` has the reason. */
bool fg_trace_path(const char *name, unsigned number, char *path, size_t size, bool *numbered);
/* Tells why no trace may be written to the file of that name. NULL: there is none, or it is a trace, or empty. */
const char *fg_trace_path_refused(const char *path);
/* The file of that name is a trace of a process that has not ended. *process: its number. */
bool fg_trace_path_is_written(const char *path, int *process);
