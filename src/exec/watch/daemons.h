/* Daemons: a kernel thread for each policy that has a daemon (floor: exec; called by region.c, shutdown.c and
 * process_fork.c; sim/daemons.c has those of the simulated machine).
 *
 * Such a thread is no worker and carries no threads. It may sleep, lock and take long, and the monitor does not wait
 * for it. It has all signals blocked, as the monitor has. It calls its daemon as often as the policy says, also while
 * no region is in flight. daemons.c has the states.
 *
 * fg_daemons_want is called inside, and steps out to start a thread; fg_daemons_end may sleep. No caller holds a lock
 * or is in a signal handler. */
#pragma once
#include "exec/thread/identity.h"

/* A region begins: starts the threads that do not run. Called where some policy has a daemon. */
void fg_daemons_want(struct fg_identity *self);
/* Ends the threads. No region is in flight. A daemon that does not return in time is left behind, and the user is told.
 * Its thread ends when it returns, unless it is wanted again until then. */
void fg_daemons_end(void);
void fg_daemons_after_fork(void);
