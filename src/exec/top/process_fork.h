/* The child of a fork: one kernel thread, which starts anew (floor: exec; design D8, D13). */
#pragma once
#include "exec/thread/identity.h"

/* In the child: forgets all other workers, identities and whatever they held. The caller's identity goes on; it may open regions. */
void fg_exec_after_fork(void);
