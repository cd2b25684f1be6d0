/* The world of the policies (floor: exec; called by team/boot/start.c): exec fills the table by which sched calls
 * it. The caller loads the library, so there is no other thread. sched/world.h tells how the functions are called. */
#pragma once

/* Must be called once, before a policy starts. */
void fg_world_start(void);
