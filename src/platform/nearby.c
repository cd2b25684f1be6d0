/* Nearby (floor: platform): see nearby.h. */
#define _GNU_SOURCE
#include "platform/nearby.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/sandbox.h"

/* By the system call, which tells how many bytes the kernel's masks have. */
void
fg_nearby_pull(struct fg_nearby *nearby, pthread_t thread)
{
	uint64_t here[FG_NEARBY_WORDS] = {0};
	unsigned cpu;
	nearby->size = 0;
	if (!fg_sandbox_allows(FG_SANDBOX_PLACES) || syscall(SYS_getcpu, &cpu, NULL, NULL) != 0)
		return;
	long size = syscall(SYS_sched_getaffinity, 0, sizeof nearby->mask, nearby->mask);
	if (size <= 0 || cpu >= (size_t)size * 8)
		return;
	here[cpu / 64] = UINT64_C(1) << cpu % 64;
	if (pthread_setaffinity_np(thread, (size_t)size, (const cpu_set_t *)here) == 0)
		nearby->size = (size_t)size;
}

void
fg_nearby_let_go(const struct fg_nearby *nearby, pthread_t thread)
{
	if (nearby->size)
		pthread_setaffinity_np(thread, nearby->size, (const cpu_set_t *)nearby->mask);
}

/* Masks are read and set by the system calls, which tell how many bytes the kernel's have. */
static size_t
mask_of(int tid, uint64_t *mask)
{
	long size = syscall(SYS_sched_getaffinity, tid, FG_NEARBY_WORDS * sizeof *mask, mask);
	return size > 0 ? (size_t)size : 0;
}

unsigned
fg_nearby_keep_off(int tid)
{
	uint64_t mask[FG_NEARBY_WORDS];
	unsigned cpu;
	if (!fg_sandbox_allows(FG_SANDBOX_PLACES) || syscall(SYS_getcpu, &cpu, NULL, NULL) != 0)
		return FG_NEARBY_NONE;
	size_t size = mask_of(tid, mask);
	if (cpu >= size * 8 || !(mask[cpu / 64] >> cpu % 64 & 1))
		return FG_NEARBY_NONE;
	mask[cpu / 64] &= ~(UINT64_C(1) << cpu % 64);
	/* Refused where there is no other PU. */
	return syscall(SYS_sched_setaffinity, tid, size, mask) == 0 ? cpu : FG_NEARBY_NONE;
}

void
fg_nearby_let_back(unsigned pu)
{
	uint64_t mask[FG_NEARBY_WORDS];
	if (pu == FG_NEARBY_NONE)
		return;
	size_t size = mask_of(0, mask);
	if (pu >= size * 8)
		return;
	mask[pu / 64] |= UINT64_C(1) << pu % 64;
	syscall(SYS_sched_setaffinity, 0, size, mask);
}
