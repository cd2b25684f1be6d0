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
