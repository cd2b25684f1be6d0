/* Sanitizers (floor: platform).
 *
 * Built into the library (make tsan): the thread sanitizer follows the thread pointer, and so takes each identity for a thread; that one
 * of them stops and another goes on, on the same kernel thread, happens in assembly, so the switch says it.
 *
 * (make asan: members run on stacks of real pthreads, which is all that the address sanitizer asks for; frames that nobody returns to
 * are forgotten where a context is made anew.)
 *
 * In the program only (gcc -fsanitize=thread, on the ordinary library): it then sees what the program does and nothing of what orders
 * it. So each construct says what happens before what, by an address that both sides name; and what the runtime does between
 * fg_enter and fg_leave, of which it would see the calls of the C library, is not looked at. Weak names: without the sanitizer
 * in the process they are null, and each look costs a comparison with a word that nobody writes. */
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
/* Of a function that reads what another worker is writing: as a hint, or to be looked at again behind a fence. */
#define FG_READS_HINTS __attribute__((no_sanitize("thread")))
/* The library's own accesses are looked at, and its atomic operations order them. */
#define fg_watched() 0
#else
#define fg_tsan_acquire(address) ((void)(address))
#define fg_tsan_release(address) ((void)(address))
#define FG_READS_HINTS
/* The program is watched. */
#define fg_watched() __builtin_expect(__tsan_ignore_thread_end != NULL, 0)
#endif

/* All that the caller did before happens before all that whoever says fg_happens_after of the same address does next. More order than
 * OpenMP demands hides races, less reports what is none. */
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
/* The address lies in the code of a leak checker's library. It yields with all its locks held while it looks at the threads. */
bool fg_sanitizer_has(const void *code);
/* Once, when the library is loaded. */
void fg_sanitizer_find(void);
