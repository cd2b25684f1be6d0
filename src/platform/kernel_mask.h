/* Kernel mask: the signals that the calling kernel thread has blocked (floor: platform; called by mask.c, alternate.c,
 * monitor.c and preempt_signal.c of exec, where no signal may interrupt the runtime, and by libc). Each acts on the
 * calling kernel thread, by a system call that keeps errno. It may be called anywhere, with any lock. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* The C library's signals for cancellation and setuid, 32 and 33, which no program blocks. */
#define FG_MASK_LIBRARY (UINT64_C(3) << (32 - 1))
#define FG_MASK_ALL (~FG_MASK_LIBRARY)
/* Of the handler that preempts, which may write to a trace. A fault whose signal is blocked ends the process
 * (trace/mapped.h). */
#define FG_MASK_HANDLER (FG_MASK_ALL & ~(UINT64_C(1) << (SIGBUS - 1)))

/* `how` is as with sigprocmask. Returns 0 or an error number. */
int fg_kernel_mask_change(int how, const uint64_t *set, uint64_t *old);
/* Reads and sets the mask of the calling kernel thread. The format is the kernel's: bit i is signal i + 1. */
uint64_t fg_mask_now(void);
void fg_mask_set(uint64_t mask);
static inline bool
fg_mask_has(uint64_t mask, int signal)
{
	return mask >> (signal - 1) & 1;
}
