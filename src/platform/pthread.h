/* Pthreads: how the runtime makes one, names it and ends it (floor: platform; called by exec, team and sim). All are
 * detached. thread.h has the kernel threads that carry them.
 *
 * The caller is outside the runtime, without a lock and in no signal handler, because the C library takes locks. Only
 * fg_pthread_name is a bare system call. Nothing is kept here. */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* With a stack of that size, which the C library maps, and with a guard as large as a donor's. Where the C library
 * refuses the size, the stack has 8 MiB. Returns an error number. */
int fg_pthread_make(size_t size, void *(*start)(void *), void *arg);
/* With a given stack. */
int fg_pthread_make_on(pthread_t *thread, void *low, size_t size, void *(*start)(void *), void *arg);
/* Returns an error number if no pthread may have a stack of that size. */
int fg_pthread_stack_refused(size_t size);
size_t fg_pthread_stack_least(void);
/* Finds the stack of the caller. False: the C library cannot tell. */
bool fg_pthread_stack(uintptr_t *low, size_t *size);
/* Names the calling kernel thread, in at most 15 characters. */
void fg_pthread_name(const char *name);
_Noreturn void fg_pthread_exit(void);
