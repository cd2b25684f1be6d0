/* Process: its number and its end (floor: platform; called by exec, team, trace and sim). A signal handler may call
 * these. */
#pragma once
#include <unistd.h>

/* It is also the number of the initial kernel thread. */
static inline int
fg_process_id(void)
{
	return getpid();
}

/* At once: no function runs that is registered for the end. */
static inline _Noreturn void
fg_process_end(int status)
{
	_exit(status);
}
