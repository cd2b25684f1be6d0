/* Preloaded: from the moment that the settings name on, libgomp gets no memory, or no more threads.
 *
 *   LIMITS_WHAT    memory: mmap, mprotect, malloc and its kin, called by libgomp; in a debug build also each block of
 *                  the runtime's own memory
 *                  stacks: the mmap and mprotect of a thread's stack, called by libgomp
 *                  threads: pthread_create, called by libgomp
 *                  space: the process's address space may not grow (RLIMIT_AS)
 *   LIMITS_AT=N    the N-th of these calls fails, and all later ones; 0: none, they are counted
 *   LIMITS_ONCE    only the N-th fails
 *   LIMITS_EARLY   they are counted from the beginning, not from the first team on
 *   LIMITS_COUNT   file for their number
 *
 * The return address tells the caller. The program says when its first team is there (limits_begin). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t align, size_t size);

enum what { NOTHING, MEMORY, STACKS, THREADS, SPACE };
static enum what what;
static long at;
static bool once;
static volatile bool begun;
static long count;
static uintptr_t low, size;

static int
look(struct dl_phdr_info *library, size_t bytes, void *arg)
{
	(void)bytes, (void)arg;
	for (unsigned i = 0; strstr(library->dlpi_name, "libgomp") && i < library->dlpi_phnum; i++)
		if (library->dlpi_phdr[i].p_type == PT_LOAD && library->dlpi_phdr[i].p_flags & PF_X) {
			low = library->dlpi_addr + library->dlpi_phdr[i].p_vaddr;
			size = library->dlpi_phdr[i].p_memsz;
		}
	return 0;
}

__attribute__((constructor)) static void
start(void)
{
	const char *text = getenv("LIMITS_WHAT");
	dl_iterate_phdr(look, NULL);
	at = getenv("LIMITS_AT") ? atol(getenv("LIMITS_AT")) : 0;
	once = getenv("LIMITS_ONCE");
	begun = getenv("LIMITS_EARLY");
	what = !text			  ? NOTHING
	       : !strcmp(text, "memory")  ? MEMORY
	       : !strcmp(text, "stacks")  ? STACKS
	       : !strcmp(text, "threads") ? THREADS
					  : SPACE;
}

__attribute__((destructor)) static void
end(void)
{
	char text[32];
	begun = false;
	const char *name = getenv("LIMITS_COUNT");
	int file = name ? open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
	if (file < 0)
		return;
	ssize_t ignored = write(file, text, (size_t)snprintf(text, sizeof text, "%ld\n", count));
	(void)ignored;
	close(file);
}

static void
space_limit(void)
{
	char text[64];
	int file = open("/proc/self/statm", O_RDONLY);
	ssize_t length = read(file, text, sizeof text - 1);
	close(file);
	text[length > 0 ? length : 0] = '\0';
	struct rlimit limit = {(rlim_t)atol(text) * (rlim_t)sysconf(_SC_PAGESIZE), RLIM_INFINITY};
	if (setrlimit(RLIMIT_AS, &limit) != 0)
		_exit(9);
}

void
limits_begin(void)
{
	begun = true;
	if (what == SPACE)
		space_limit();
}

static bool
refused(void)
{
	long number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
	return at && (once ? number == at : number >= at);
}

static bool
refuse(enum what kind, const void *caller)
{
	return begun && what == kind && (uintptr_t)caller - low < size && refused();
}

/* Asked by the runtime's own allocator, in a debug build. */
bool
fgomp_debug_refuse(void)
{
	return begun && what == MEMORY && refused();
}

#define NO_MEMORY(result) REFUSE(MEMORY, result)
#define REFUSE(kind, result)                                                                                           \
	if (refuse(kind, __builtin_return_address(0))) {                                                               \
		errno = ENOMEM;                                                                                        \
		return result;                                                                                         \
	}

void *
mmap(void *hint, size_t bytes, int protection, int flags, int file, off_t offset)
{
	REFUSE(flags & MAP_STACK ? STACKS : MEMORY, MAP_FAILED)
	return (void *)syscall(SYS_mmap, hint, bytes, protection, flags, file, offset);
}

int
mprotect(void *start, size_t bytes, int protection)
{
	REFUSE(STACKS, -1)
	return (int)syscall(SYS_mprotect, start, bytes, protection);
}

void *
malloc(size_t bytes)
{
	NO_MEMORY(NULL)
	return __libc_malloc(bytes);
}

void *
calloc(size_t n, size_t bytes)
{
	NO_MEMORY(NULL)
	return __libc_calloc(n, bytes);
}

void *
realloc(void *old, size_t bytes)
{
	NO_MEMORY(NULL)
	return __libc_realloc(old, bytes);
}

void *
aligned_alloc(size_t align, size_t bytes)
{
	NO_MEMORY(NULL)
	return __libc_memalign(align, bytes);
}

int
posix_memalign(void **memory, size_t align, size_t bytes)
{
	NO_MEMORY(ENOMEM)
	*memory = __libc_memalign(align, bytes);
	return *memory ? 0 : ENOMEM;
}

int
pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *arg)
{
	static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	if (refuse(THREADS, __builtin_return_address(0)))
		return EAGAIN;
	if (!next)
		next = dlsym(RTLD_NEXT, "pthread_create");
	return next(thread, attributes, function, arg);
}
