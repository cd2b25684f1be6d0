/* Cpuset: counts, walks, and writes out (floor: machine). */
#define _GNU_SOURCE
#include "machine/cpuset.h"
#include <sched.h>
#include <stdio.h>

#include "platform/affinity.h"

unsigned
fg_cpuset_count(const struct fg_cpuset *set)
{
	unsigned count = 0;
	for (unsigned i = 0; i < FG_CPUSET_WORDS; i++)
		count += (unsigned)__builtin_popcountll(set->bits[i]);
	return count;
}

unsigned
fg_cpuset_next(const struct fg_cpuset *set, unsigned from)
{
	if (from >= FG_CPUSET_MAX)
		return FG_CPUSET_MAX;
	unsigned word = from / 64;
	uint64_t bits = set->bits[word] & ~UINT64_C(0) << from % 64;
	while (!bits)
		if (++word == FG_CPUSET_WORDS)
			return FG_CPUSET_MAX;
		else
			bits = set->bits[word];
	return word * 64 + (unsigned)__builtin_ctzll(bits);
}

bool
fg_cpuset_affinity(struct fg_cpuset *set)
{
	fg_cpuset_clear(set);
	if (fg_affinity_get(0, sizeof *set, (cpu_set_t *)set->bits) == 0)
		return true;
	fg_cpuset_add(set, 0);
	return false;
}

int
fg_cpuset_format(const struct fg_cpuset *set, char *text, size_t size)
{
	size_t used = 0;
	if (size)
		*text = '\0';
	for (unsigned first = fg_cpuset_next(set, 0); first < FG_CPUSET_MAX;) {
		unsigned last = first;
		while (fg_cpuset_has(set, last + 1))
			last++;
		char *at = used < size ? text + used : NULL;
		size_t room = used < size ? size - used : 0;
		used += (size_t)(first == last ? snprintf(at, room, "%s%u", used ? "," : "", first)
					       : snprintf(at, room, "%s%u-%u", used ? "," : "", first, last));
		first = fg_cpuset_next(set, last + 1);
	}
	return (int)used;
}
