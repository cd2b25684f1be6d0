/* Messages to the user, in libgomp's format (floor: base; every floor above). Each is one line: newlines and the like
 * in a setting are shown as "\n", "\x1b".
 *
 * Any thread may write a message, with any lock: it is made on the stack and written by one system call. Only the
 * handler that preempts writes none. */
#pragma once
#include <stdbool.h>

extern bool fg_log_ends; /* the program is about to end with a message */
/* Prints "\nlibgomp: TEXT\n" on stderr and exits with status 1. The caller may be anywhere in the runtime. The
 * functions that the program has registered for its end run all the same, because process_ends of base/above.h comes
 * first. */
_Noreturn void fg_fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints "\nlibgomp: TEXT\n" on stderr; the program goes on. */
void fg_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same with the program's own words, unchanged. */
void fg_program_says(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints "libgomp: TEXT\n" on stderr, only when FGOMP_VERBOSE is set. */
void fg_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, always: one line of several that belong together. */
void fg_report(const char *format, ...) __attribute__((format(printf, 1, 2)));
