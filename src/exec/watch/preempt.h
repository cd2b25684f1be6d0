/* Preemption: the handler of the signal that takes the PU from a thread in the program's code (floor: exec; called by
 * the kernel: preempt_signal.c installs it, through the hook on_tick, and sends the signal). preempt.c tells on which
 * threads it acts, and what it may do there. */
#pragma once
#include <signal.h>

/* It runs between two instructions of any thread, on the kernel thread to which the signal was sent. */
void fg_preempt_on_tick(int signal, siginfo_t *info, void *context);
