// Region after region, the members of a large team meet tasks anew: their tables of dependences, their taskgroups and
// their deques are empty again. Some members make no tasks in some regions. Nested teams begin each region with other
// workers.
// threads: 40
#include <omp.h>
#include "check.h"

#define REGIONS 6
#define EACH 200

static int done[REGIONS], chain[64], inner;

/* A chain of tasks: each sees its predecessor. The last region's table must not hold any of them back. */
static void
follow(int member, int region)
{
	for (int i = 0; i < 8; i++) {
#pragma omp task depend(inout : chain[member]) firstprivate(i, member, region)
		{
			CHECK(chain[member] == 8 * region + i);
			chain[member]++;
		}
	}
}

static void
make(int region)
{
	for (int i = 0; i < EACH; i++) {
#pragma omp task
		__atomic_add_fetch(&done[region], 1, __ATOMIC_RELAXED);
	}
}

static void
region_of(int region, int members)
{
	int makers = 0;
#pragma omp parallel num_threads(members) reduction(+ : makers)
	{
		int member = omp_get_thread_num();
		if (member < 40)
			follow(member, region);
		if (member % 3 == region % 3) {
			make(region);
			makers++;
		}
		if (member == region) {
#pragma omp taskgroup
			make(region);
			makers++;
		}
	}
	CHECK(done[region] == makers * EACH);
}

int
main(void)
{
	for (int region = 0; region < REGIONS; region++)
		region_of(region, region == 3 ? 44 : 40);
	for (int i = 0; i < 40; i++)
		CHECK(chain[i] == 8 * REGIONS);
	omp_set_max_active_levels(2);
	for (int again = 0; again < 2; again++) {
#pragma omp parallel num_threads(2)
		for (int round = 0; round < 2; round++) {
#pragma omp parallel num_threads(36)
			for (int i = 0; i < 10; i++) {
#pragma omp task
				__atomic_add_fetch(&inner, 1, __ATOMIC_RELAXED);
			}
		}
	}
	CHECK(inner == 2 * 2 * 2 * 36 * 10);
	return check_end();
}
