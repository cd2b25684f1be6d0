/* Code that holds locks which the runtime takes as well: code of the C library and the allocator (floor: platform; used
 * by exec/watch/preempt.c).
 *
 * A thread that is suspended there may hold the lock of a heap. A thread that allocates from the heap inside the
 * runtime then waits for a thread that has no PU.
 *
 * The list is made once, outside the runtime and without a lock, before the monitor starts. Then it is only read. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Finds the objects with malloc, pthread_create and the dynamic linker. It must come before the first call of the next
 * function. */
void fg_locking_code_find(void);
/* The address is in one of them. It may be called from a signal handler. */
bool fg_is_locking_code(uintptr_t address);
