/* Messages to the user, in libgomp's format (floor: base; every floor above). Each is one line: what a setting has of newlines and the like is shown
 * as "\n", "\x1b". */
#pragma once
#include <stdbool.h>

extern bool fg_log_ends; /* the program is about to end with a message */
/* "\nlibgomp: TEXT\n" on stderr and exit status 1. The caller may be anywhere in the runtime: the functions that the program has registered for
 * its end run all the same, because fg_fatal_ends, set by a floor above, comes first. */
extern void (*fg_fatal_ends)(void);
_Noreturn void fg_fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "\nlibgomp: TEXT\n" on stderr; the program goes on. */
void fg_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same with words of the program's own, as they are. */
void fg_program_says(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "libgomp: TEXT\n" on stderr, only when FGOMP_VERBOSE is set. */
void fg_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, always: a line of several that belong together. */
void fg_report(const char *format, ...) __attribute__((format(printf, 1, 2)));
