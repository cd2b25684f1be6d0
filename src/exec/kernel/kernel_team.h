/* Kernel-thread teams, with FGOMP_THREADS=kernel: each member has a kernel thread of its own (floor: exec;
 * called by team/region/region.c, shutdown.c and process_fork.c). Some programs need the things that a kernel thread
 * has for itself: contended PI mutexes, signals from other threads, per-thread clocks.
 *
 * The caller is the encountering thread, inside, without a lock and in no signal handler; the last two functions are
 * for a shutdown and for the child of a fork. kernel_team.c has the invariants. */
#pragma once
#include "exec/nested/birth.h"

struct kernel_thread;

/* Takes threads for a team of *size, which becomes smaller if there are no more. root: of an outermost team, else
 * NULL. The members of outermost teams are the same from region to region, so that threadprivate data persist. The
 * caller passes the threads to fg_kernel_team_fork, or dismisses them. It is inside the runtime, and steps out where a
 * thread must be started. */
struct kernel_thread *fg_kernel_team_gather(struct fg_identity *self, unsigned *size, struct fg_root *root);
void fg_kernel_team_dismiss(struct kernel_thread *threads);
/* The counterparts of fg_births_publish and fg_births_join. */
void fg_kernel_team_fork(struct fg_identity *self, struct fg_births *births, unsigned size, struct fg_root *root,
			 struct kernel_thread *threads);
void fg_kernel_team_join(struct fg_identity *self, struct fg_births *births);
/* Ends the kernel threads that run no member, and those of the root's members. The root must be in no region. NULL:
 * there is no root. */
void fg_kernel_team_end_idle(struct fg_root *root);
void fg_kernel_team_after_fork(void);
