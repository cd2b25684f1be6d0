/* Takes a pthread's restartable-sequences area from the kernel (floor: platform). */
#define _GNU_SOURCE
#include "platform/rseq.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__aarch64__)
#define SIGNATURE 0xd428bc00
#else
#define SIGNATURE 0x53053053
#endif
#define UNREGISTER 1
#define SIZE_MIN 32 /* glibc registers at least this, whatever size it tells */

static struct {
	ptrdiff_t offset;
	unsigned size; /* 0: the C library has none */
} area;

void
fg_rseq_find(void)
{
	const ptrdiff_t *where = dlsym(RTLD_DEFAULT, "__rseq_offset");
	const unsigned *length = dlsym(RTLD_DEFAULT, "__rseq_size");
	if (where && length && *length) {
		area.offset = *where;
		area.size = *length < SIZE_MIN ? SIZE_MIN : *length;
	}
}

void
fg_rseq_unregister(void)
{
#ifdef SYS_rseq
	int saved = errno;
	if (area.size)
		syscall(SYS_rseq, (char *)__builtin_thread_pointer() + area.offset, area.size, UNREGISTER, SIGNATURE);
	errno = saved;
#endif
}
