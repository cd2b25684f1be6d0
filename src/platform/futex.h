/* The kernel's wait on a word (floor: platform; used by the live carrier, by parked donors, by exec/watch/monitor.c and
 * by stuck). Any thread may call, without a lock where it waits. A wake may come from a signal handler. Neither touches
 * errno. */
#pragma once
#include <stdbool.h>
#include <sys/syscall.h>

#include "base/atomic.h"

/* Sleeps while *word == value, at most timeout_ns (0: no limit). It may return early. */
void fg_futex_wait(struct fg_atomic_u32 *word, uint32_t value, uint64_t timeout_ns);
void fg_futex_wake(struct fg_atomic_u32 *word, unsigned count);
/* The system call with this number is futex(2). */
static inline bool
fg_futex_is_call(long number)
{
	return number == SYS_futex;
}
