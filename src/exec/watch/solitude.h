/* Solitude: does the process have its PUs for itself? Then each kernel thread may be bound to one (exec/body/seat.h),
 * because the kernel has no better idea. As soon as another process wants a PU, the kernel must be free to move ours
 * (floor: exec; called by monitor.c).
 *
 * The monitor compares the time for which PUs were busy with the time that the process has used (machine/load.h), once
 * a second while workers are awake. So a process is bound when it has been alone for some seconds. A member that
 * computes for long meets no wait at which it could leave its seat, so the monitor takes it away. It does the same with
 * the seat of a root that has left its regions. */
#pragma once
#include <stdint.h>

/* A look, which is short unless some time has passed since the last. It reads files. */
void fg_solitude_look(void);
/* The monitor has nothing else to do. Returns how long it may sleep until the next look; 0: until it is called. */
uint64_t fg_solitude_nap(void);
/* The monitor has ended, and no region is in flight. */
void fg_solitude_end(void);
void fg_solitude_after_fork(void);
