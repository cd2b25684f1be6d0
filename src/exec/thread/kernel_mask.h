/* Kernel mask: the signals that the calling kernel thread has blocked (floor: exec; called by mask.c, and where the
 * runtime must not be interrupted). */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* The C library's signals for cancellation and setuid, 32 and 33, which no program blocks. */
#define FG_MASK_LIBRARY (UINT64_C(3) << (32 - 1))
#define FG_MASK_ALL (~FG_MASK_LIBRARY)

/* How as with sigprocmask; 0, or an error number. */
int fg_kernel_mask_change(int how, const uint64_t *set, uint64_t *old);
/* The calling kernel thread's, and setting it. As the kernel has it: bit i is signal i + 1. */
uint64_t fg_mask_now(void);
void fg_mask_set(uint64_t mask);
static inline bool
fg_mask_has(uint64_t mask, int signal)
{
	return mask >> (signal - 1) & 1;
}
