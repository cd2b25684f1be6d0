/* Online: which of the machine's PUs the kernel lets the process use at the moment (floor: exec; looked at by the monitor).
 *
 * A PU goes when it is taken offline, out of the process's cpuset, or when somebody narrows the masks of all its threads (taskset -ap). Its worker goes
 * on, wherever the kernel puts it. Policies are told. When a PU is back, workers that are bound to places bind themselves anew,
 * for the kernel has dropped their masks. */
#pragma once
#include "exec/thread/worker.h"

/* The calling thread, whose mask will tell: may use all that the process may, whoever started it. */
void fg_online_begin(void);
/* Looks, if it is time. */
void fg_online_look(uint64_t now);
