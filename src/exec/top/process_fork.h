/* The child of a fork: one kernel thread, which starts anew (floor: exec; called by
 * team/boot/process_fork.c). No other thread runs, and no lock is held. */
#pragma once
#include "exec/thread/identity.h"

/* In the child: forgets all other workers, all other identities, and all that they held. The caller's identity goes
 * on, and may open regions. The caller is the thread that called fork, and is outside the runtime. It has called
 * fg_memory_after_fork before. */
void fg_exec_after_fork(void);
