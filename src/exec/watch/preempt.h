/* Preemption: the signal that takes the PU from a thread in the program's code (floor: exec; preempt_signal.h sends
 * it). */
#pragma once
#include <signal.h>

/* The handler. */
void fg_preempt_on_tick(int signal, siginfo_t *info, void *context);
