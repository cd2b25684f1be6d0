/* The kernel's wait on a word (floor: platform). */
#define _GNU_SOURCE
#include "platform/futex.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void
fg_futex_wait(struct fg_atomic_u32 *word, uint32_t value, uint64_t timeout_ns)
{
	struct timespec limit = {(time_t)(timeout_ns / 1000000000), (long)(timeout_ns % 1000000000)};
	int saved = errno;
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, timeout_ns ? &limit : NULL, NULL, 0);
	errno = saved;
}

void
fg_futex_wake(struct fg_atomic_u32 *word, unsigned count)
{
	int saved = errno;
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count > INT_MAX ? INT_MAX : (int)count, NULL, NULL, 0);
	errno = saved;
}
