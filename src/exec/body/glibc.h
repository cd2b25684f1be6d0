/* Glibc: keeps calls of the C library right that meet a kernel thread without its own pthread, or says plainly that
 * they cannot be right (floor: exec; called where pthreads of the runtime start and end, at a home's first switch, and
 * by team/boot/ends.c). Each function acts on the calling pthread, which holds no lock but one that it passes on. Only
 * fg_glibc_leave_home is called in the preemption handler. */
#pragma once

struct fg_identity;

/* The caller is a pthread on which members will run. If a member ends it (pthread_exit), the program ends with
 * advice. */
void fg_glibc_member(struct fg_identity *self);
/* The runtime itself ends the caller. */
void fg_glibc_end(void);
_Noreturn void fg_glibc_refuse_end(void);
/* A home is about to be suspended, and may go on elsewhere. sched_getcpu must be right there, too. */
void fg_glibc_leave_home(struct fg_identity *self);
/* Called after pthread_create, so that setuid and functions like it work while kernel threads carry other pthreads. */
void fg_glibc_setxid(void);
