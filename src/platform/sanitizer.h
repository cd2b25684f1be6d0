/* What the thread sanitizer cannot see for itself (floor: platform): it follows the thread pointer, and so takes each identity for
 * a thread; that one of them stops and another goes on, on the same kernel thread, happens in assembly. Nothing in other builds. */
#pragma once

#if defined(__SANITIZE_THREAD__)
#define FG_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FG_TSAN 1
#endif
#endif

#ifdef FG_TSAN
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#define fg_tsan_acquire(address) __tsan_acquire(address)
#define fg_tsan_release(address) __tsan_release(address)
/* Of a function that reads what another worker is writing: as a hint, or to be looked at again behind a fence. */
#define FG_READS_HINTS __attribute__((no_sanitize("thread")))
#else
#define fg_tsan_acquire(address) ((void)(address))
#define fg_tsan_release(address) ((void)(address))
#define FG_READS_HINTS
#endif
