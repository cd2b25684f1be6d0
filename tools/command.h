/* What the parts of the command `forestgomp` share: finding the library, colours, complaints. */
#pragma once
#include "draw/json.h"
#include <stdbool.h>
#include <stdio.h>

int command_run(int argc, char **argv);
int command_sim(int argc, char **argv);
int command_topo(int argc, char **argv);
int command_info(int argc, char **argv);
int command_trace(int argc, char **argv);

/* `run --stats`: starts the program in a child by start(argv), which comes back only if it cannot be started; then prints the table.
 * trace: where FGOMP_TRACE leads already; NULL: a file that goes away. Returns the exit status. */
int run_with_stats(char **argv, const char *trace, bool json, int (*start)(char **argv));

/* Exit status of a call that was written wrongly. */
#define WRONG_USE 2
/* "forestgomp COMMAND: TEXT" on stderr; returns WRONG_USE. */
int complain(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Path of our libgomp.so.1, seen from where this command lies: the build folder or an installed tree. NULL: not found. */
const char *find_library(void);

/* Escape sequences, empty unless the file is a terminal and NO_COLOR is unset: stdout, where nothing else is chosen. */
extern const char *bold, *dim, *green, *plain;
void choose_colours(int file);

/* If argv[*i] is the long or short option, its value ("--x V", "--x=V", "-x V") with *i moved on; else NULL. An option without
 * a value sets *missing to its name. */
const char *option_value(int argc, char **argv, int *i, const char *name, char letter, const char **missing);
