/* Preemption: the handler of the signal that takes the PU from a thread in the program's code (floor: exec). The
 * hook on_tick leads to it; preempt_signal.c installs it and sends the signal. */
#pragma once
#include <signal.h>

/* The handler of the signal. */
void fg_preempt_on_tick(int signal, siginfo_t *info, void *context);
