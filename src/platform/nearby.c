/* Nearby (floor: platform): see nearby.h. */
#define _GNU_SOURCE
#include "platform/nearby.h"

#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/sandbox.h"

/* The caller's mask, and its PU in it. By the system call, which tells how many bytes the kernel's masks have. */
static bool
mask_get(struct fg_nearby *nearby, unsigned *cpu)
{
	if (!fg_sandbox_allows(FG_SANDBOX_PLACES) || syscall(SYS_getcpu, cpu, NULL, NULL) != 0)
		return false;
	long size = syscall(SYS_sched_getaffinity, 0, sizeof nearby->mask, nearby->mask);
	nearby->size = size > 0 ? (size_t)size : 0;
	return *cpu < nearby->size * 8;
}

static bool
put(pthread_t thread, size_t size, const uint64_t *mask)
{
	return pthread_setaffinity_np(thread, size, (const cpu_set_t *)mask) == 0;
}

void
fg_nearby_pull(struct fg_nearby *nearby, pthread_t thread)
{
	uint64_t here[FG_NEARBY_WORDS] = {0};
	unsigned cpu;
	bool known = mask_get(nearby, &cpu);
	if (known)
		here[cpu / 64] = UINT64_C(1) << cpu % 64;
	if (!known || !put(thread, nearby->size, here))
		nearby->size = 0;
}

void
fg_nearby_let_go(const struct fg_nearby *nearby, pthread_t thread)
{
	if (nearby->size)
		put(thread, nearby->size, nearby->mask);
}

void
fg_nearby_push(pthread_t thread)
{
	struct fg_nearby mine;
	uint64_t others[FG_NEARBY_WORDS];
	unsigned cpu;
	if (!mask_get(&mine, &cpu))
		return;
	memcpy(others, mine.mask, sizeof others);
	others[cpu / 64] &= ~(UINT64_C(1) << cpu % 64);
	if (put(thread, mine.size, others)) /* refused where there is no other */
		put(thread, mine.size, mine.mask);
}
