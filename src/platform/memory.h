/* Memory: the runtime's own allocator (floor: platform; called by every floor above).
 *
 * Between fg_enter and fg_leave no lock of the C library may be taken: a member of the same worker may have been preempted while it held
 * that lock, and only this worker could run it. So what is allocated there comes from here, from the system's pages, under locks that
 * nobody is preempted with. Outside the runtime the functions may be called as well: they enter it (fg_memory_guard).
 *
 * Blocks are reused, and whole pieces of the address space go back to the system when nothing lies in them. All functions that give
 * memory return NULL when there is none; errno is as it was.
 *
 * Where the runtime is itself watched by a sanitizer, simulated or explored, it is malloc as ever. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(FG_ATOMIC_TEST) || defined(FG_ATOMIC_CHARGED) || defined(__SANITIZE_ADDRESS__) ||                          \
	defined(__SANITIZE_THREAD__)
#define FG_MEMORY_FOREIGN 1
#endif

/* Calls of the C library that may take locks of it are not for code inside the runtime; checked where assert is (base/inside.h). */

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
/* At least `size` bytes, aligned to 16 of them; NULL: there is no memory. */
void *fg_memory_get(size_t size);
/* The same, all zero. */
void *fg_memory_zeroed(size_t size);
/* The same, aligned to a power of two, up to half a mebibyte. */
void *fg_memory_aligned(size_t align, size_t size);
/* Another size, with what lay in it; NULL: there is no memory, and the old block is as it was. Keeps no alignment but that to 16. */
void *fg_memory_resize(void *memory, size_t size);
/* NULL: nothing. */
void fg_memory_free(void *memory);
/* About so many threads allocate at a time: more shards, fewer encounters. */
void fg_memory_shards(unsigned n);
/* In the child of a fork, first of all such functions. */
void fg_memory_after_fork(void);
#endif

/* Set by a floor above: `enter` sees to it that the caller is inside the runtime, true: by entering it; then `leave` is called. NULL: nobody
 * can be preempted. */
struct fg_memory_guard {
	bool (*enter)(void);
	void (*leave)(void);
};
extern struct fg_memory_guard fg_memory_guard;
