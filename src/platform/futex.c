/* The kernel's wait on a word (floor: platform). The system calls are bare, because a parked donor must not touch
 * errno. By then errno belongs to the thread that its identity carries. */
#define _GNU_SOURCE
#include "platform/futex.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

static long
futex(struct fg_atomic_u32 *word, long operation, long value, struct timespec *limit)
{
#if defined(__x86_64__)
	register struct timespec *r10 __asm__("r10") = limit;
	register long r8 __asm__("r8") = 0, r9 __asm__("r9") = 0;
	long result;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"((long)SYS_futex), "D"(word), "S"(operation), "d"(value), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = SYS_futex;
	register long x0 __asm__("x0") = (long)word;
	register long x1 __asm__("x1") = operation, x2 __asm__("x2") = value;
	register struct timespec *x3 __asm__("x3") = limit;
	register long x4 __asm__("x4") = 0, x5 __asm__("x5") = 0;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
#endif
}

void
fg_futex_wait(struct fg_atomic_u32 *word, uint32_t value, uint64_t timeout_ns)
{
	struct timespec limit = {(time_t)(timeout_ns / 1000000000), (long)(timeout_ns % 1000000000)};
	futex(word, FUTEX_WAIT_PRIVATE, (long)value, timeout_ns ? &limit : NULL);
}

void
fg_futex_wake(struct fg_atomic_u32 *word, unsigned count)
{
	futex(word, FUTEX_WAKE_PRIVATE, count > INT_MAX ? INT_MAX : (long)count, NULL);
}
