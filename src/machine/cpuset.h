/* Cpuset: a set of PUs by the numbers that the operating system gives them, up to 4096 (floor: machine; also used by
 * exec and team for binding and places). Its layout is the kernel's, so it goes straight into sched_setaffinity. Any
 * thread may call anywhere, also in a signal handler: only the caller's set is touched. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FG_CPUSET_MAX 4096
#define FG_CPUSET_WORDS (FG_CPUSET_MAX / 64)

struct fg_cpuset {
	uint64_t bits[FG_CPUSET_WORDS];
};

static inline void
fg_cpuset_clear(struct fg_cpuset *set)
{
	memset(set, 0, sizeof *set);
}

static inline void
fg_cpuset_add(struct fg_cpuset *set, unsigned cpu)
{
	if (cpu < FG_CPUSET_MAX)
		set->bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

static inline bool
fg_cpuset_has(const struct fg_cpuset *set, unsigned cpu)
{
	return cpu < FG_CPUSET_MAX && (set->bits[cpu / 64] >> cpu % 64 & 1);
}

static inline bool
fg_cpuset_equal(const struct fg_cpuset *a, const struct fg_cpuset *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}

unsigned fg_cpuset_count(const struct fg_cpuset *set);
/* The lowest member that is at least `from`, or FG_CPUSET_MAX. */
unsigned fg_cpuset_next(const struct fg_cpuset *set, unsigned from);
/* The affinity mask of the calling kernel thread. False: the kernel did not tell; the set is then {0}. */
bool fg_cpuset_affinity(struct fg_cpuset *set);
/* Writes "0-3,8" and returns the length it has in full, as snprintf does. */
int fg_cpuset_format(const struct fg_cpuset *set, char *text, size_t size);
