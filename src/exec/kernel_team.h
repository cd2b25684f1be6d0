/* Kernel-thread teams, FGOMP_THREADS=kernel: each member has a kernel thread of its own (floor: exec; design D1). For programs that
 * need what a kernel thread keeps to itself: contended PI mutexes, signals from other threads, per-thread clocks. */
#pragma once
#include "exec/birth.h"

/* The counterparts of fg_births_publish and fg_births_join. outermost: of a root, whose members are the same threads each time. */
void fg_kernel_team_fork(struct fg_identity *self, struct fg_births *births, unsigned size, bool outermost);
void fg_kernel_team_join(struct fg_identity *self, struct fg_births *births);
void fg_kernel_team_after_fork(void);
