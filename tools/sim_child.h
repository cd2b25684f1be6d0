/* The process of one simulated run: it is waited for, its progress is shown, and signals reach it (sim_child.c). */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* From now on a signal that would end the command ends the run first. Then the command can tell what it has. */
void sim_interrupts_catch(void);
/* Returns the signal that has come; 0: none has. */
int sim_interrupted(void);
/* Ends the command by the signal that has come. It returns if none has. */
void sim_interrupts_end(void);

/* Waits for the process. Meanwhile a terminal shows how far it is: `file` holds the virtual time. Returns its status as
 * waitpid gives it. */
int sim_child_wait(pid_t pid, int file, unsigned n_pus);
