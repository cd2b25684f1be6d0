/* Functions that all commands of `forestgomp` use: they find the library, choose colours, complain (command.c). */
#pragma once
#include "draw/json.h"
#include <stdbool.h>
#include <stdio.h>

int command_run(int argc, char **argv);
int command_sim(int argc, char **argv);
int command_topo(int argc, char **argv);
int command_info(int argc, char **argv);
int command_trace(int argc, char **argv);
int command_replay(int argc, char **argv);

/* `run --stats`: starts the program in a child by start(argv), then prints the table. start returns only if the program
 * cannot start. `trace` is the file that FGOMP_TRACE names already; NULL means a temporary file. Returns the exit
 * status. */
int run_with_stats(char **argv, const char *trace, bool json, int (*start)(char **argv));

/* The exit status of a call with a wrong command line. */
#define WRONG_USE 2
/* Prints "forestgomp COMMAND: TEXT" on stderr; returns WRONG_USE. */
int complain(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the path of our libgomp.so.1, or NULL. The command looks beside itself, in the build folder or an installed
 * tree. */
const char *find_library(void);

/* Escape sequences. They are empty unless the chosen file is a terminal and NO_COLOR is unset. The default file is
 * stdout. */
extern const char *bold, *dim, *green, *plain;
void choose_colours(int file);

/* Returns the option's value ("--x V", "--x=V", "-x V") and advances *i if argv[*i] is the long or the short option;
 * else NULL. An option without a value sets *missing to its name. */
const char *option_value(int argc, char **argv, int *i, const char *name, char letter, const char **missing);
