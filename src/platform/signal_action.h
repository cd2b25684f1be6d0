/* Signal actions: what the process does at a signal (floor: platform; called by exec, trace and sim). `sigaction`
 * itself is the program's way, through the floor libc, so the runtime calls the C library's own function. Any thread
 * may call, with any lock and in a signal handler: it is a system call of the C library. Nothing is kept. */
#pragma once
#include <signal.h>
#include <stddef.h>

extern int __sigaction(int number, const struct sigaction *action, struct sigaction *old);

/* As sigaction. */
static inline int
fg_signal_action(int number, const struct sigaction *action, struct sigaction *old)
{
	return __sigaction(number, action, old);
}

static inline void
fg_signal_default(int number)
{
	__sigaction(number, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
}
