// Nested members have storage of their own: none overwrites that of a thread of an outer team, which is still alive.
// threads: 1 2 8 20
#include <omp.h>

#include "check.h"

static long value;
#pragma omp threadprivate(value)

int
main(void)
{
	int threads = omp_get_max_threads();
	long *outer_address[20];

	omp_set_max_active_levels(3);
	for (int round = 0; round < 3; round++) {
#pragma omp parallel
		{
			int me = omp_get_thread_num();
			long *mine = &value;

			value = 1000 + me;
			outer_address[me] = mine;
#pragma omp barrier
			for (int i = 0; i < 3; i++) {
				long *inner_address[5];

#pragma omp parallel num_threads(5)
				{
					int in = omp_get_thread_num();

					inner_address[in] = &value;
					if (in == 0)
						CHECK(&value == mine && value == 1000 + me, "%ld", value);
					else
						value = -in;
					for (int o = 0; o < threads; o++)
						CHECK((outer_address[o] == &value) == (in == 0 && o == me),
						      "%d is at %d's", in, o);
#pragma omp barrier
					for (int o = 0; o < 5; o++)
						CHECK((inner_address[o] == &value) == (o == in));
					CHECK(value == (in ? -in : 1000 + me), "%d has %ld", in, value);
#pragma omp parallel num_threads(2)
					if (omp_get_thread_num())
						value = -100;
					CHECK(value == (in ? -in : 1000 + me), "%d has %ld", in, value);
				}
				CHECK(value == 1000 + me && &value == mine, "%d has %ld", me, value);
			}
		}
#pragma omp parallel
		CHECK(value == 1000 + omp_get_thread_num(), "%ld", value);
	}
	return check_end();
}
