/* Kernel-thread teams, FGOMP_THREADS=kernel: each member has a kernel thread of its own (floor: exec; design D1). For programs that
 * need what a kernel thread keeps to itself: contended PI mutexes, signals from other threads, per-thread clocks. */
#pragma once
#include "exec/nested/birth.h"

struct kernel_thread;

/* Threads for a team of *size, which becomes smaller where there are no more. root: of an outermost team, whose members are the same from region to
 * region, so that threadprivate data persist; else NULL. They are for fg_kernel_team_fork, or dismissed. */
struct kernel_thread *fg_kernel_team_gather(struct fg_identity *self, unsigned *size, struct fg_root *root);
void fg_kernel_team_dismiss(struct kernel_thread *threads);
/* The counterparts of fg_births_publish and fg_births_join. */
void fg_kernel_team_fork(struct fg_identity *self, struct fg_births *births, unsigned size, struct fg_root *root,
			 struct kernel_thread *threads);
void fg_kernel_team_join(struct fg_identity *self, struct fg_births *births);
/* Ends the kernel threads that run no member, and those of the root's members; it is in no region. NULL: there is none. */
void fg_kernel_team_end_idle(struct fg_root *root);
void fg_kernel_team_after_fork(void);
