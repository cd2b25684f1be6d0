/* Memory: the runtime's own allocator (floor: platform; called by every floor above).
 *
 * Between fg_enter and fg_leave no lock of the C library may be taken. A member of the same worker may have been
 * preempted while it held that lock, and only this worker could run it. So memory that is allocated there comes from
 * this allocator, from the system's pages. No holder of its locks is ever preempted. Outside the runtime the functions
 * may be called as well: they enter it (fg_memory_guard). A caller may hold any lock of the runtime, because these
 * locks have the last ranks. A signal handler that has interrupted code inside the runtime must not call them.
 *
 * Blocks are reused, and whole pieces of the address space go back to the system when nothing lies in them. All
 * functions that give memory return NULL when there is none; errno stays.
 *
 * Where a sanitizer watches the runtime itself, or where it is simulated or explored, this is plain malloc. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(FG_ATOMIC_TEST) || defined(FG_ATOMIC_CHARGED) || defined(__SANITIZE_ADDRESS__) ||                          \
	defined(__SANITIZE_THREAD__)
#define FG_MEMORY_FOREIGN 1
#endif

/* Code inside the runtime must not call functions of the C library that may take its locks. libc/inside.c checks it
 * where assert is. */

#ifdef FG_MEMORY_FOREIGN
#include <stdlib.h>
#include <string.h>

static inline void *
fg_memory_get(size_t size)
{
	return malloc(size ? size : 1);
}
static inline void *
fg_memory_zeroed(size_t size)
{
	return calloc(1, size ? size : 1);
}
static inline void *
fg_memory_aligned(size_t align, size_t size)
{
	void *memory;
	return posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, size ? size : 1) ? NULL
													 : memory;
}
static inline void *
fg_memory_resize(void *memory, size_t size)
{
	return realloc(memory, size ? size : 1);
}
static inline void
fg_memory_free(void *memory)
{
	free(memory);
}
static inline void
fg_memory_shards(unsigned n)
{
	(void)n;
}
static inline void
fg_memory_after_fork(void)
{
}
#else
/* At least `size` bytes, aligned to 16; NULL: there is no memory. */
void *fg_memory_get(size_t size);
/* The same, all zero. */
void *fg_memory_zeroed(size_t size);
/* The same, aligned to a power of two, up to half a mebibyte. */
void *fg_memory_aligned(size_t align, size_t size);
/* Another size, with the old content. NULL: there is no memory, and the old block is unchanged. It keeps no alignment
 * but that to 16. */
void *fg_memory_resize(void *memory, size_t size);
/* NULL: does nothing. */
void fg_memory_free(void *memory);
/* About so many threads allocate at a time: more shards, fewer encounters. */
void fg_memory_shards(unsigned n);
/* In the child of a fork, before all other such functions. */
void fg_memory_after_fork(void);
#endif

/* A floor above sets it. `enter` makes sure that the caller is inside the runtime. true: it has entered it, and `leave`
 * must be called. NULL: no thread can be preempted. */
struct fg_memory_guard {
	bool (*enter)(void);
	void (*leave)(void);
};
extern struct fg_memory_guard fg_memory_guard;
