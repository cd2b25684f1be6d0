/* Process: what the system tells of another process (command; called by top.c, limit.c and view.c). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define PROCESS_COMMAND 512

struct process {
	bool there; /* else nothing below is known */
	bool own;   /* it belongs to the user of the command */
	bool stopped;
	unsigned threads;
	int nice;
	double cpu;	  /* seconds so far; negative: not known */
	uint64_t started; /* ns of CLOCK_MONOTONIC, at the latest then; 0: not known */
	char command
		[PROCESS_COMMAND]; /* its command line without the path of the program, cut off; any bytes but NUL */
};

void process_look(int number, struct process *process);
