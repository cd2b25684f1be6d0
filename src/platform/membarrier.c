/* The kernel's fence for all threads of the process (floor: platform). */
#define _GNU_SOURCE
#include "platform/membarrier.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

bool fg_membarrier_usable;

void
fg_membarrier_start(void)
{
	int saved = errno;
	fg_membarrier_usable = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
	errno = saved;
}

void
fg_fence_heavy_slow(void)
{
	int saved = errno;
	syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	errno = saved;
}
