// Tasks are made when other members have nothing left to do: those come back for them. Two tasks that wait for each
// other's start show that two threads run them. Not under `spread`, which steals nothing: there a worker on which no
// member has run has no member to send.
// threads: 2 4 8
// cpus: 2
// env: -
// env: FGOMP_THREADS=kernel
#include <omp.h>

#include "check.h"

static void
meet(int *started)
{
	__atomic_fetch_add(started, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(started, __ATOMIC_SEQ_CST) < 2)
		check_now();
}

/* In the pauses, members that have nothing to do may fall asleep. */
static void
make_pairs(void)
{
	for (int i = 0; i < 3; i++) {
		int started = 0;

		usleep(i * 20000);
		for (int k = 0; k < 2; k++)
#pragma omp task shared(started)
			meet(&started);
#pragma omp taskwait
	}
}

/* Behind the end of their own part of the region. */
static void
at_the_end(void)
{
#pragma omp parallel
#pragma omp masked
	make_pairs();
}

static void
nested(int size)
{
#pragma omp parallel num_threads(2)
#pragma omp masked
#pragma omp parallel num_threads(size)
#pragma omp masked
	make_pairs();
}

/* Their data are those that the member left. */
static int scratch;
#pragma omp threadprivate(scratch)

static void
nested_threadprivate(void)
{
#pragma omp parallel num_threads(2)
#pragma omp masked
#pragma omp parallel num_threads(2)
	{
		scratch = 100 + omp_get_thread_num();
#pragma omp masked
		for (int i = 0; i < 200; i++) {
#pragma omp task
			CHECK(scratch == 100 + omp_get_thread_num(), "%d of thread %d", scratch, omp_get_thread_num());
			check_burn(20);
		}
	}
}

/* At a barrier, while the last member of each worker is blocked: more members than PUs. */
static void
at_a_barrier(void)
{
	omp_lock_t lock;

	omp_init_lock(&lock);
#pragma omp parallel
	{
		int me = omp_get_thread_num(), size = omp_get_num_threads();

		for (int turn = 0; turn < 2; turn++) {
			if (me == 0)
				omp_set_lock(&lock);
#pragma omp barrier
			if (me == 0) {
				usleep(20000);
				make_pairs();
				omp_unset_lock(&lock);
			} else if (size > 2 && me >= size - 2) {
				omp_set_lock(&lock);
				omp_unset_lock(&lock);
			}
			if (turn == 0) { /* then the region's end */
#pragma omp barrier
			}
		}
	}
	omp_destroy_lock(&lock);
}

int
main(void)
{
	omp_set_max_active_levels(2);
	at_the_end();
	nested(2);
	nested(4);
	nested_threadprivate();
	at_a_barrier();
	return check_end();
}
