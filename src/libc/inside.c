/* Between fg_enter and fg_leave the runtime takes no lock of the C library (floor: libc; only in builds with assert:
 * -Db_ndebug=false). This file defines the functions that may take such a lock, ahead of the C library in the order of
 * symbols, like sched_yield (yield.c). So it sees the calls of the whole process, and those of the C library's own
 * functions, such as fopen and qsort. The first call between fg_enter and fg_leave ends the program.
 *
 * It also sees the library's own calls of functions that may be cancellation points. One where a pending pthread_cancel
 * could act ends the program (base/uncancelled.h). scripts/check_calls.py makes sure that all such functions that the
 * library calls are here.
 *
 * Any thread of the process comes here, with any lock. Nothing is kept but the addresses of the functions. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/uncancelled.h"
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
ssize_t __real_write(int file, const void *from, size_t size);
_Noreturn void __wrap___assert_fail(const char *what, const char *file, unsigned line, const char *function);

/* From here on the caller may call any function. */
static _Noreturn void
end(const char *line)
{
	struct fg_identity *self = fg_self();
	fg_log_ends = true;
	if (self)
		fg_own_store_relaxed(&self->in_runtime, 0); /* for functions that abort calls */
	ssize_t ignored = __real_write(STDERR_FILENO, line, strlen(line));
	(void)ignored;
	abort();
}

/* The C library's own function allocates memory for its text. */
void
__wrap___assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
	char text[600];
	snprintf(text, sizeof text, "libgomp: %s:%u: %s: Assertion `%s' failed.\n", file, line, function, what);
	end(text);
}

static _Noreturn void
refuse(const char *what, const char *why, const void *caller)
{
	char line[160];
	snprintf(line, sizeof line, "libgomp: %s is called %s, from %p: see docs/threads.md, \"Inside\"\n", what, why,
		 caller);
	end(line);
}

/* A thread that ends the program with a message may call any function. */
static void
look(const char *what, const void *caller)
{
	struct fg_identity *self = fg_self();
	if (__builtin_expect(!self || !fg_own_load_relaxed(&self->in_runtime) || fg_log_ends, 1))
		return;
	refuse(what, "inside the runtime", caller);
}

static void
look_at_cancellation(const char *what, const void *caller)
{
	int state = fg_uncancelled_begin();
	fg_uncancelled_end(state);
	if (state == PTHREAD_CANCEL_ENABLE && !fg_log_ends)
		refuse(what, "where a pending pthread_cancel could act", caller);
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

/* The linker's --wrap, again: the library's own calls. */
#define WATCHED(result, name, parameters, arguments)                                                                   \
	result __real_##name parameters;                                                                               \
	result __wrap_##name parameters;                                                                               \
	result __wrap_##name parameters                                                                                \
	{                                                                                                              \
		look_at_cancellation(#name, __builtin_return_address(0));                                              \
		return __real_##name arguments;                                                                        \
	}

WATCHED(ssize_t, write, (int file, const void *from, size_t size), (file, from, size))
WATCHED(FILE *, fopen64, (const char *path, const char *mode), (path, mode))
WATCHED(int, fclose, (FILE * file), (file))
WATCHED(int, getc, (FILE * file), (file))
WATCHED(int, fputc, (int c, FILE *file), (c, file))
WATCHED(int, fputs, (const char *text, FILE *file), (text, file))
WATCHED(size_t, fwrite, (const void *from, size_t size, size_t n, FILE *file), (from, size, n, file))

int __wrap_fprintf(FILE *file, const char *format, ...);

int
__wrap_fprintf(FILE *file, const char *format, ...)
{
	va_list arguments;
	look_at_cancellation("fprintf", __builtin_return_address(0));
	va_start(arguments, format);
	int length = vfprintf(file, format, arguments);
	va_end(arguments);
	return length;
}

void *__real_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags);

void *
__wrap_dlopen(const char *name, int flags)
{
	look("dlopen", __builtin_return_address(0));
	look_at_cancellation("dlopen", __builtin_return_address(0));
	return __real_dlopen(name, flags);
}
