/* Kernel mask (floor: platform): see kernel_mask.h. */
#define _GNU_SOURCE
#include "platform/kernel_mask.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

int
fg_kernel_mask_change(int how, const uint64_t *set, uint64_t *old)
{
	int saved = errno;
	int error = syscall(SYS_rt_sigprocmask, how, set, old, sizeof *set) == 0 ? 0 : errno;
	errno = saved;
	return error;
}

uint64_t
fg_mask_now(void)
{
	uint64_t now = 0;
	fg_kernel_mask_change(SIG_BLOCK, NULL, &now);
	return now;
}

void
fg_mask_set(uint64_t mask)
{
	fg_kernel_mask_change(SIG_SETMASK, &mask, NULL);
}
