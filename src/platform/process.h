/* Process: its number and its end (floor: platform; called by exec, team, trace and sim). A signal handler may call
 * these. */
#pragma once
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

/* It is also the number of the initial kernel thread. */
static inline int
fg_process_id(void)
{
	return getpid();
}

/* A process has this number, this one or another. Keeps errno. */
static inline bool
fg_process_is_there(int process)
{
	int saved = errno;
	bool there = process > 0 && (kill(process, 0) == 0 || errno == EPERM);
	errno = saved;
	return there;
}

/* At once: no function runs that is registered for the end. */
static inline _Noreturn void
fg_process_end(int status)
{
	_exit(status);
}
