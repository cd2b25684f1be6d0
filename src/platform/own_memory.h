/* Own memory: reads of this process's memory through the kernel (floor: platform; called by samples/lines.c).
 *
 * The memory may be unmapped at any moment, or may not be read at all. Then the kernel refuses, and nobody is killed.
 * The quick way is process_vm_readv. Some sandboxes refuse it; the second way is the file /proc/self/mem. No call here
 * takes a lock of the C library, allocates or is a cancellation point. Nothing is kept but in the struct. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fg_own_memory {
	int process; /* 0: the quick way is not to be had */
	int file;    /* of the second way; -1: not open */
	bool may_open;
};

/* For a few reads in a row. may_read: the sandbox allows process_vm_readv. may_open: it allows files of /proc. */
void fg_own_memory_begin(struct fg_own_memory *memory, bool may_read, bool may_open);
void fg_own_memory_end(struct fg_own_memory *memory);
/* Copies `size` bytes. False: not all of them can be read. */
bool fg_own_memory_read(struct fg_own_memory *memory, uint64_t from, void *to, size_t size);
