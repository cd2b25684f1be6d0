// A reduction over objects with constructors: each private copy is built, joined and destroyed once.
// threads: 1 2 8 64
#include <map>
#include <string>
#include <omp.h>

#include "check.h"

static int alive;

struct words {
	std::map<std::string, int> counts;
	words() { __atomic_fetch_add(&alive, 1, __ATOMIC_RELAXED); }
	words(const words &other) : counts(other.counts) { __atomic_fetch_add(&alive, 1, __ATOMIC_RELAXED); }
	~words() { __atomic_fetch_sub(&alive, 1, __ATOMIC_RELAXED); }
	void join(const words &other)
	{
		for (auto &entry : other.counts)
			counts[entry.first] += entry.second;
	}
};
#pragma omp declare reduction(join : words : omp_out.join(omp_in))

int
main()
{
	words all;

	for (int round = 0; round < 10; round++) {
#pragma omp parallel for reduction(join : all) schedule(dynamic, 5)
		for (int i = 0; i < 300; i++)
			all.counts["word" + std::to_string(i % 7)]++;
	}
	int total = 0;
	for (auto &entry : all.counts)
		total += entry.second;
	CHECK(total == 3000 && all.counts.size() == 7, "%d", total);
	CHECK(alive == 1, "%d copies left", alive);
	return check_end();
}
