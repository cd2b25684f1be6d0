/* Code that holds locks which the runtime takes as well: of the C library and the allocator (floor: platform).
 *
 * A thread that is suspended there may hold the lock of a heap; who allocates from it inside the runtime then waits for a thread that has
 * no PU. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Finds the objects with malloc, pthread_create and the dynamic linker. Before the first of the next. */
void fg_locking_code_find(void);
/* The address is in one of them. From a signal handler. */
bool fg_is_locking_code(uintptr_t address);
