/* Glibc: what keeps calls of the C library right that meet a kernel thread where its own pthread is not, or says
 * plainly that they cannot be (floor: exec; called where pthreads of the runtime start). */
#pragma once

struct fg_identity;

/* The caller is a pthread that members will run on: should one end it (pthread_exit), the program ends with advice. */
void fg_glibc_member(struct fg_identity *self);
/* The runtime itself ends the caller. */
void fg_glibc_end(void);
_Noreturn void fg_glibc_refuse_end(void);
/* A home is about to be suspended, and may go on elsewhere: sched_getcpu is to be right there too. */
void fg_glibc_leave_home(struct fg_identity *self);
/* After pthread_create: setuid and its family work while kernel threads carry other pthreads. */
void fg_glibc_setxid(void);
