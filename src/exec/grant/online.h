/* Online: which of the machine's PUs the kernel lets the process use at the moment (floor: exec; called by monitor.c
 * on its own kernel thread, which holds no lock, because policies are told).
 *
 * A PU goes away when it is taken offline, or when it leaves the process's cpuset. It also goes when a user narrows
 * the masks of all threads of the process (taskset -ap). Its worker goes on wherever the kernel puts it. The
 * policies are told. When a PU is back, workers that are bound to places bind themselves anew, because the kernel
 * has dropped their masks.
 *
 *     leaf->away == 1  <=>  at the last look, the process might not use the PU of this leaf
 *
 * Only this file changes `away`. A user's change of all masks may miss a thread. Then a look sets the mask of the
 * monitor, or of kernel threads of the pool. It never sets that of a thread of the program. */
#pragma once
#include "exec/thread/identity.h"

/* The calling thread is the one whose mask will tell. It gets all PUs that the process may use, whichever thread has
 * started it. */
void fg_online_begin(void);
/* Looks, if enough time has passed. */
void fg_online_look(uint64_t now);
