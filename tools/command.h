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
int command_pin(int argc, char **argv);
int command_top(int argc, char **argv);
int command_limit(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_jupyter(int argc, char **argv);
int command_serve(int argc, char **argv);

/* What `forestgomp run` is asked for. */
struct run_call {
	char **program;
	const char *runtime;
	bool print, check, stats, json;
	bool mpi;		/* --mpi */
	bool emulate;		/* --emulate */
	const char *mpi_name;	/* which MPI; NULL: the one that the program needs */
	const char *stats_file; /* where the table goes; NULL: standard error */
	unsigned top;		/* so many regions; 0: all */
	const char *trace;	/* --trace: the name as it was given; NULL: it was not */
	const char *unserved;	/* why the program's regions do not run on ForestGOMP; NULL: nothing is known */
};

/* With --stats or --trace: starts the program in a child by start(argv), then prints the table, or that there was no
 * region. start returns only if the program cannot start. Returns the exit status. */
int run_watched(const struct run_call *call, int (*start)(char **argv));
/* `run --check`: says what would serve the program. Returns the exit status. */
int run_check(const struct run_call *call);
/* Judges the files that options of the command line name: `given` has a flag for each option of the table. Returns 0,
 * or an exit status after a complaint. */
int run_judge_files(const bool *given);
/* Lets the library read those values of the command line that it alone can judge. Returns the first complaint, or
 * NULL. */
const char *run_judge(const char *library, const char *const *variables, unsigned n);

/* Whether the word is --mpi or --mpi=NAME. Returns -1 if it is not; else 0, or an exit status after a complaint. */
int run_take_mpi(const char *word, struct run_call *call);
/* With --mpi: the object that must be preloaded. Returns 0, or an exit status after a complaint. */
int run_find_mpi(const struct run_call *call, char **object);

/* With --emulate: the object that must be preloaded, or NULL. */
const char *run_emulate_marks(const struct run_call *call);
/* Puts the emulator before the program. The environment is that of the program. Returns 0, or an exit status after a
 * complaint. */
int run_emulate(struct run_call *call);

/* The library, or a link to it, by a name without blanks and colons. NULL: there is none. */
const char *run_preloadable(const char *library);
/* The Python to which this command belongs; NULL: none is known. */
const char *own_python(void);
/* -m MODULE or -c CODE of Python: the words behind it are the program's. Returns as run_take_mpi. */
int run_take_python(int argc, char **argv, int i, struct run_call *call);
bool run_is_script(const char *name);
/* Puts the Python before a program that is a script. Returns 0, or an exit status after a complaint. */
int run_script(struct run_call *call);
/* Tells why exec of the program has failed with this error. Returns the exit status. */
int run_cannot_start(const char *command, const char *name, int error);
/* Looks whether the program can be started. Returns 0, or the exit status of `run` after a complaint. */
int run_startable(const char *command, const char *name);
/* Becomes the program. Returns an exit status, and only if the program cannot start. */
int run_start(char **argv);

struct fg_pin;
/* Reads the file of --pin. Returns 0, or the status of a wrong command line after a complaint. */
int take_pin_file(const char *command, const char *path, struct fg_pin *pin);
/* Reads a policy out of the command line. Returns 0, or WRONG_USE after a complaint. */
int take_policy(const char *command, const char *option, const char *text);

/* Whether the file gives rights that the caller does not have, as a word; NULL: it gives none. */
const char *program_rights(const char *path);

/* Facts of a program's file. */
struct program_facts {
	bool has_loader;   /* a dynamic linker starts it */
	bool of_glibc;	   /* that has the name of glibc's */
	bool tells_loads;  /* it is this command's own, which tells what it would load and starts nothing then */
	bool is_static;	   /* it has OpenMP of its own in it */
	bool needs_openmp; /* libgomp */
	char other[128];   /* another OpenMP runtime that it needs; empty: none */
	const char *mpi;   /* the MPI that it needs: "openmpi" or "mpich"; NULL: none that is known */
};
void program_look(const char *path, struct program_facts *facts);
/* Tells each library that glibc's dynamic linker would load with the program, after `preloaded`, or with nothing
 * preloaded if that is NULL (child.c). The program does not run. Nothing is told of a program with another linker, or
 * with rights that its caller has not, because these may run it. */
void program_loads(const char *path, const char *preloaded, void (*tell)(const char *file, void *arg), void *arg);
/* Looks for a name without a slash as execvp does. Returns NULL if nothing is found; the caller frees it. */
char *program_path(const char *name);
/* The words why ForestGOMP does not serve this program, or NULL. The caller frees them. */
char *program_unserved(const char *name);

/* Runs a program in the environment as `change` makes it, and reads what it writes to `from`. The caller frees the
 * text. */
char *read_child(char *const *argv, int from, void (*change)(void *arg), void *arg);
/* The folders of packages of a Python, one a line. NULL: it does not tell. The caller frees the text. */
char *python_folders(const char *python);

/* The exit status of a call with a wrong command line. */
#define WRONG_USE 2
/* That of `run`, because 2 may be the program's own. env, nohup and timeout have the same. */
#define WRONG_RUN 125
/* Flushes standard output. Returns `status`, or 1 after a complaint if it could not be written. */
int finish(int status);
/* Reads the value of --top. Returns 0, or an exit status after a complaint. */
int take_top(const char *command, const char *value, unsigned *top);
/* Columns of the terminal that the file is, or COLUMNS; 0: it is none. */
unsigned columns_of(int file);
/* The name is of an ordinary file, or a link to one. */
bool is_file(const char *name);
/* Both names are of one ordinary file. */
bool same_file(const char *a, const char *b);
struct fg_cpuset;
/* The set as text. Where it is too long, "..." follows the last whole number that has room. */
void set_text(const struct fg_cpuset *set, char *text, size_t size);
/* Prints "forestgomp COMMAND: TEXT" on stderr; returns WRONG_USE, or WRONG_RUN for the command run. */
int complain(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The name under which the library writes a trace to exactly this path. The caller frees it; NULL: no memory. */
char *trace_name_of(const char *path);
/* Makes way for a trace that the simulated machine will write: an old one of that name goes. Returns 0, or WRONG_USE
 * after a complaint. */
int trace_prepare(const char *command, const char *name);
/* Tells why a file of this name cannot be written. It is neither made nor changed. NULL: it can. */
const char *file_no_room(const char *path);
/* Tells why the folder has no room for a trace. NULL: it has. */
const char *trace_no_room(const char *folder);

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
