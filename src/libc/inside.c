/* Between fg_enter and fg_leave the runtime takes no lock of the C library (floor: libc; only in builds with assert:
 * -Db_ndebug=false). This file defines the functions that may take such a lock, ahead of the C library in the order of
 * symbols, like sched_yield (yield.c). So it sees the calls of the whole process, and those of the C library's own
 * functions, such as fopen and qsort. The first call between fg_enter and fg_leave ends the program. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "exec/thread/identity.h"
#include "base/export.h"

#ifdef __x86_64__
#define FIRST "GLIBC_2.2.5"
#else
#define FIRST "GLIBC_2.17"
#endif
__asm__(".symver fg_watched_malloc, malloc@" FIRST);
__asm__(".symver fg_watched_calloc, calloc@" FIRST);
__asm__(".symver fg_watched_realloc, realloc@" FIRST);
__asm__(".symver fg_watched_free, free@" FIRST);
__asm__(".symver fg_watched_posix_memalign, posix_memalign@" FIRST);

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *memory);
/* The linker's --wrap catches the library's own calls only. dlopen looks at its caller, so the calls of other libraries
 * must stay their own. The version of aligned_alloc differs between machines. */
void *__wrap_aligned_alloc(size_t align, size_t size);
void *__real_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags);

/* A thread that ends the program with a message may call any function. */
static void
look(const char *what, const void *caller)
{
	struct fg_identity *self = fg_self();
	if (__builtin_expect(!self || !fg_own_load_relaxed(&self->in_runtime) || fg_log_ends, 1))
		return;
	char line[160];
	fg_own_store_relaxed(&self->in_runtime, 0); /* for functions that abort calls */
	int length = snprintf(line, sizeof line,
			      "libgomp: %s is called inside the runtime, from %p: see docs/threads.md, \"Inside\"\n",
			      what, caller);
	ssize_t ignored = write(STDERR_FILENO, line, (size_t)length);
	(void)ignored;
	abort();
}

FG_EXPORT void *
fg_watched_malloc(size_t size)
{
	look("malloc", __builtin_return_address(0));
	return __libc_malloc(size);
}

FG_EXPORT void *
fg_watched_calloc(size_t n, size_t size)
{
	look("calloc", __builtin_return_address(0));
	return __libc_calloc(n, size);
}

FG_EXPORT void *
fg_watched_realloc(void *memory, size_t size)
{
	look("realloc", __builtin_return_address(0));
	return __libc_realloc(memory, size);
}

FG_EXPORT void
fg_watched_free(void *memory)
{
	if (!memory)
		return;
	look("free", __builtin_return_address(0));
	__libc_free(memory);
}

void *
__wrap_aligned_alloc(size_t align, size_t size)
{
	look("aligned_alloc", __builtin_return_address(0));
	return __libc_memalign(align, size);
}

FG_EXPORT int
fg_watched_posix_memalign(void **memory, size_t align, size_t size)
{
	look("posix_memalign", __builtin_return_address(0));
	if (align % sizeof(void *) || (align & (align - 1)) || !align)
		return EINVAL;
	int saved = errno;
	void *got = __libc_memalign(align, size);
	errno = saved;
	if (got)
		*memory = got;
	return got ? 0 : ENOMEM;
}

void *
__wrap_dlopen(const char *name, int flags)
{
	look("dlopen", __builtin_return_address(0));
	return __real_dlopen(name, flags);
}
