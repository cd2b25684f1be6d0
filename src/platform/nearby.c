/* Nearby (floor: platform): see nearby.h. */
#define _GNU_SOURCE
#include "platform/nearby.h"

#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/sandbox.h"

/* It uses the system call, which tells how many bytes the kernel's masks have. */
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

/* Masks are read and set by the system calls, which tell how many bytes the kernel's masks have. */
static size_t
mask_of(int tid, uint64_t *mask)
{
	long size = syscall(SYS_sched_getaffinity, tid, FG_NEARBY_WORDS * sizeof *mask, mask);
	return size > 0 ? (size_t)size : 0;
}

static unsigned
count(const uint64_t *mask, size_t size)
{
	unsigned n = 0;
	for (size_t i = 0; i < size / sizeof *mask; i++)
		n += (unsigned)__builtin_popcountll(mask[i]);
	return n;
}

struct fg_nearby_kept
fg_nearby_keep_off(int tid)
{
	const struct fg_nearby_kept none = {0};
	uint64_t mask[FG_NEARBY_WORDS];
	unsigned cpu;
	if (!fg_sandbox_allows(FG_SANDBOX_PLACES) || syscall(SYS_getcpu, &cpu, NULL, NULL) != 0)
		return none;
	size_t size = mask_of(tid, mask);
	if (cpu >= size * 8 || !(mask[cpu / 64] >> cpu % 64 & 1))
		return none;
	mask[cpu / 64] &= ~(UINT64_C(1) << cpu % 64);
	/* The kernel refuses where there is no other PU. */
	bool kept = syscall(SYS_sched_setaffinity, tid, size, mask) == 0;
	return kept ? (struct fg_nearby_kept){cpu, count(mask, size)} : none;
}

void
fg_nearby_let_back(struct fg_nearby_kept kept)
{
	uint64_t mask[FG_NEARBY_WORDS];
	if (!kept.left)
		return;
	size_t size = mask_of(0, mask);
	if (kept.pu >= size * 8 || count(mask, size) != kept.left)
		return;
	mask[kept.pu / 64] |= UINT64_C(1) << kept.pu % 64;
	syscall(SYS_sched_setaffinity, 0, size, mask);
}

int
fg_nearby_here(void)
{
	unsigned cpu;
	return fg_sandbox_allows(FG_SANDBOX_PLACES) && syscall(SYS_getcpu, &cpu, NULL, NULL) == 0 ? (int)cpu : -1;
}

static bool
set_mask(size_t size, const uint64_t *mask)
{
	return syscall(SYS_sched_setaffinity, 0, size, mask) == 0;
}

/* The masks of a move lie in frames of their own, because a member's stack may be small. */
__attribute__((noinline)) static bool
is_mask(int tid, size_t size, const uint64_t *mask)
{
	uint64_t now[FG_NEARBY_WORDS];
	return mask_of(tid, now) == size && memcmp(now, mask, size) == 0;
}

/* False: the caller has another mask now. */
__attribute__((noinline)) static bool
go_to(unsigned cpu, size_t size)
{
	uint64_t there[FG_NEARBY_WORDS] = {0};
	there[cpu / 64] = UINT64_C(1) << cpu % 64;
	return set_mask(size, there) && is_mask(0, size, there);
}

/* Takes the other thread's mask, if that is not this one any more. */
__attribute__((noinline)) static void
follow(int like, size_t size, const uint64_t *mask)
{
	uint64_t now[FG_NEARBY_WORDS];
	if (mask_of(like, now) == size && memcmp(now, mask, size) != 0)
		set_mask(size, now);
}

/* The move may take long, and a user may set the masks of all threads meanwhile. If the caller's own was set, it stays.
 * If it was set just before, the mask of the other thread tells. */
void
fg_nearby_go_to(unsigned cpu, int like)
{
	uint64_t mask[FG_NEARBY_WORDS];
	if (!fg_sandbox_allows(FG_SANDBOX_PLACES))
		return;
	size_t size = mask_of(0, mask);
	if (cpu >= size * 8 || !(mask[cpu / 64] >> cpu % 64 & 1))
		return;
	bool alike = like && is_mask(like, size, mask);
	if (!go_to(cpu, size))
		return;
	set_mask(size, mask);
	if (alike)
		follow(like, size, mask);
}
