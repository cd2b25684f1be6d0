/* The part of the command `forestgomp` that all its files share: finding the library, colours, complaints. */
#pragma once
#include "draw/json.h"
#include <stdbool.h>
#include <stdio.h>

int command_run(int argc, char **argv);
int command_sim(int argc, char **argv);
int command_topo(int argc, char **argv);
int command_info(int argc, char **argv);
int command_trace(int argc, char **argv);

/* `run --stats`: starts the program in a child by start(argv), which returns only if the program cannot be started.
 * Then it prints the table. `trace` is the file that FGOMP_TRACE names already; NULL: a file that is removed at the
 * end. Returns the exit status. */
int run_with_stats(char **argv, const char *trace, bool json, int (*start)(char **argv));

/* Exit status if the command was called in a wrong way. */
#define WRONG_USE 2
/* Prints "forestgomp COMMAND: TEXT" on stderr; returns WRONG_USE. */
int complain(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the path of our libgomp.so.1, in the build folder or the installed tree that has this command. NULL: not
 * found. */
const char *find_library(void);

/* Escape sequences for one file. They are empty unless it is a terminal and NO_COLOR is unset. The file is stdout until
 * another is chosen. */
extern const char *bold, *dim, *green, *plain;
void choose_colours(int file);

/* If argv[*i] is the long or the short option, returns its value ("--x V", "--x=V", "-x V") and moves *i on; else
 * returns NULL. For an option without a value it sets *missing to the option's name. */
const char *option_value(int argc, char **argv, int *i, const char *name, char letter, const char **missing);
