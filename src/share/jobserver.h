/* Job server: the pipe by which GNU make tells how many jobs may run (floor: share; called by tokens.c and unit tests).
 *
 * The pipe has a byte, a *token*, for each further job that may run now. A program that `make -jN` starts may run one
 * job, and one more for each token that it takes. It must put each token back. MAKEFLAGS names the pipe: by two numbers
 * of open files, or by the path of a fifo since make 4.4. Make leaves the files open for commands that begin with '+'.
 * For others the numbers are there, too, and may be those of other files. */
#pragma once
#include <stdbool.h>

enum fg_jobserver_kind {
	FG_JOBSERVER_NONE,     /* MAKEFLAGS names none */
	FG_JOBSERVER_STRANGE,  /* it names one in a way that is not known */
	FG_JOBSERVER_WITHHELD, /* make does not give it to this command */
	FG_JOBSERVER_PIPE,
	FG_JOBSERVER_FIFO,
};

struct fg_jobserver_name {
	enum fg_jobserver_kind kind;
	int reader, writer; /* of a pipe */
	char path[512];	    /* of a fifo; else the strange words */
};

/* Reads the value of MAKEFLAGS, or NULL. A pure function. */
void fg_jobserver_read(const char *makeflags, struct fg_jobserver_name *name);

/* The library is loaded. makeflags: its value, or NULL. */
void fg_jobserver_find(const char *makeflags);
/* The caller is outside the runtime, and holds no lock. False: there is none that could be used, and one line has said
 * why. */
bool fg_jobserver_open(void);
/* Take a token if there is one now, and put one back. Neither waits. They may be called anywhere. */
bool fg_jobserver_take(char *token);
bool fg_jobserver_give(char token);
/* False: the program has closed the job server's descriptor. Tokens that it has are lost. */
bool fg_jobserver_is_open(void);
