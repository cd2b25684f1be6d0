/* Sanitizers (floor: platform; used by most floors).
 *
 * Built into the library (make tsan): the thread sanitizer follows the thread pointer, and so takes each identity for a
 * thread. In assembly one of them stops and another goes on, on the same kernel thread. So the switch announces that.
 *
 * (make asan: members run on stacks of real pthreads, and the address sanitizer asks for nothing else. Frames to which
 * no thread returns are forgotten where a context is made anew.)
 *
 * In the program only (gcc -fsanitize=thread, on the ordinary library): the sanitizer sees the program's accesses and
 * nothing of their order. So each construct says which of them happen before which, by an address that both sides name.
 * Accesses of the runtime between fg_enter and fg_leave are ignored, because the sanitizer would see only its calls of
 * the C library. The names are weak. Without the sanitizer in the process they are null, and each look costs a
 * comparison with a word that is never written.
 *
 * Any thread may call anywhere. Nothing is kept but what kind of tool was found at the start. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__SANITIZE_THREAD__)
#define FG_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FG_TSAN 1
#endif
#endif

#ifdef __SANITIZE_ADDRESS__
void __asan_unpoison_memory_region(const volatile void *from, size_t size);
#define fg_asan_forget(from, to) __asan_unpoison_memory_region((from), (size_t)((char *)(to) - (char *)(from)))
#else
#define fg_asan_forget(from, to) ((void)(from), (void)(to))
#endif

#define FG_WEAK_IMPORT __attribute__((weak, visibility("default")))
FG_WEAK_IMPORT void __tsan_acquire(void *address);
FG_WEAK_IMPORT void __tsan_release(void *address);
FG_WEAK_IMPORT void __tsan_ignore_thread_begin(void);
FG_WEAK_IMPORT void __tsan_ignore_thread_end(void);
FG_WEAK_IMPORT void __lsan_do_leak_check(void);
FG_WEAK_IMPORT void __lsan_register_root_region(const void *start, size_t size);
FG_WEAK_IMPORT void __lsan_unregister_root_region(const void *start, size_t size);

#ifdef FG_TSAN
#define fg_tsan_acquire(address) __tsan_acquire(address)
#define fg_tsan_release(address) __tsan_release(address)
/* For a function that reads a word while another worker writes it: as a hint, or to read it again after a fence. */
#define FG_READS_HINTS __attribute__((no_sanitize("thread")))
/* The sanitizer watches the library's own accesses, and its atomic operations order them. */
#define fg_watched() 0
#else
#define fg_tsan_acquire(address) ((void)(address))
#define fg_tsan_release(address) ((void)(address))
#define FG_READS_HINTS
/* A race detector watches the program. */
#define fg_watched() __builtin_expect(__tsan_ignore_thread_end != NULL, 0)
#endif

/* All that the caller did before happens before all that follows a later fg_happens_after of the same address. More
 * order than OpenMP demands hides races, less reports false ones. */
static inline void
fg_happens_before(const void *address)
{
	if (fg_watched())
		__tsan_release((void *)address);
}
static inline void
fg_happens_after(const void *address)
{
	if (fg_watched())
		__tsan_acquire((void *)address);
}

/* The program runs on valgrind. */
bool fg_on_valgrind(void);
/* The address lies in the code of a leak checker's library. The checker yields with all its locks held while it looks
 * at the threads. */
bool fg_sanitizer_has(const void *code);
/* Called once, when the library is loaded. */
void fg_sanitizer_find(void);
