/* Kernel-thread teams, FGOMP_THREADS=kernel: each member has a kernel thread of its own (floor: exec; design D1). For programs that
 * need what a kernel thread keeps to itself: contended PI mutexes, signals from other threads, per-thread clocks. */
#pragma once
#include "exec/birth.h"

/* The counterparts of fg_births_publish and fg_births_join. root: of an outermost team, whose members are the same from region to
 * region, so that threadprivate data persist; else NULL. */
void fg_kernel_team_fork(struct fg_identity *self, struct fg_births *births, unsigned size, struct fg_root *root);
void fg_kernel_team_join(struct fg_identity *self, struct fg_births *births);
/* Ends the kernel threads that run no member, and those of the root's members; it is in no region. NULL: there is none. */
void fg_kernel_team_end_idle(struct fg_root *root);
void fg_kernel_team_after_fork(void);
