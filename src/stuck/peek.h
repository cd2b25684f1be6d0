/* Peek: safe reads of this process's memory (floor: stuck; used by most files of stuck).
 *
 * The memory may be freed or unmapped at any moment. The kernel copies it (/proc/self/mem), and refuses where there is
 * none. No call here takes a lock of the C library or allocates. One thread at a time calls it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens it until fg_peek_end. false: the system does not let a process read its own memory. */
bool fg_peek_begin(void);
void fg_peek_end(void);
/* Copies `size` bytes from there; false: some of them cannot be read. */
bool fg_peek(uintptr_t from, void *to, size_t size);
