// Barriers at which a region is cancelled: all members leave there, at whichever barrier it is, and the next regions
// have whole barriers. Functions that a region calls have barriers of their own, which cannot leave it: they wait for
// the members that stay.
// threads: 1 2 3 8 40
// env: OMP_CANCELLATION=true OMP_MAX_ACTIVE_LEVELS=3
// env: OMP_CANCELLATION=true OMP_MAX_ACTIVE_LEVELS=3 FGOMP_SPIN=0
// env: OMP_CANCELLATION=true OMP_MAX_ACTIVE_LEVELS=3 FGOMP_THREADS=kernel
// env: OMP_CANCELLATION=false OMP_MAX_ACTIVE_LEVELS=3
#include <omp.h>
#include <stdbool.h>

#include "check.h"

enum { BARRIERS = 6, ROUNDS = 12 };

static int
add(int *counter)
{
	return __atomic_add_fetch(counter, 1, __ATOMIC_SEQ_CST);
}

static int
read_of(int *counter)
{
	return __atomic_load_n(counter, __ATOMIC_SEQ_CST);
}

/* Before each barrier a member counts itself, and after it all have. From barrier `at` on the region is cancelled, by
 * one member or by some. */
static void
team(int threads, int at, int by)
{
	int before[BARRIERS + 1] = {0}, whole = 0, size = 0;
#pragma omp parallel num_threads(threads)
	{
		int n = omp_get_num_threads(), me = omp_get_thread_num();
		__atomic_store_n(&size, n, __ATOMIC_SEQ_CST);
		for (int i = 0; i < BARRIERS; i++) {
			if (i == at && me >= n / 2 && me < n / 2 + by) {
#pragma omp cancel parallel
			}
			add(&before[i]);
#pragma omp barrier
			CHECK(read_of(&before[i]) == n, "barrier %d of %d, cancelled at %d: %d", i, n, at, before[i]);
		}
		add(&whole);
	}
	bool cancelled = omp_get_cancellation() && at < BARRIERS;
	CHECK(whole == (cancelled ? 0 : size), "%d members of %d met all barriers, cancelled at %d", whole, size, at);
}

static void
regions(int threads)
{
	for (int round = 0; round < ROUNDS; round++) {
		team(threads, round % BARRIERS, 1 + round % 2);
		team(threads, BARRIERS, 0);
	}
}

/* A function has plain barriers. They wait for all members that stay. Libgomp would wait for those that have left,
 * too. */
static void
count_apart(int *arrived, int stay)
{
	add(arrived);
#pragma omp barrier
	CHECK(read_of(arrived) == stay, "%d of %d", *arrived, stay);
}

static void
copy_apart(void)
{
	int mine = 0;
#pragma omp single copyprivate(mine)
	mine = 42;
	CHECK(mine == 42, "%d", mine);
}

static void
functions(int threads)
{
	for (int round = 0; round < ROUNDS; round++) {
		int first = 0, second = 0, ended = 0, size = 0;
#pragma omp parallel num_threads(threads)
		{
			int n = omp_get_num_threads(), leaves = omp_get_cancellation() && n > 1;
			__atomic_store_n(&size, n, __ATOMIC_SEQ_CST);
			if (leaves && omp_get_thread_num() == round % n) {
#pragma omp cancel parallel
			}
			count_apart(&first, n - leaves);
			copy_apart();
			count_apart(&second, n - leaves);
			copy_apart();
			add(&ended);
#pragma omp cancellation point parallel
			CHECK(!leaves);
		}
		CHECK(ended == size - (omp_get_cancellation() && size > 1), "%d of %d", ended, size);
	}
}

/* Some of those that stay leave at their next barrier, and the others have one more. */
static void
one_by_one(int threads)
{
	for (int round = 0; round < ROUNDS; round++) {
		int size = 0, ended = 0;
#pragma omp parallel num_threads(threads)
		{
			int n = omp_get_num_threads(), me = omp_get_thread_num();
			__atomic_store_n(&size, n, __ATOMIC_SEQ_CST);
			if (omp_get_cancellation() && me == 0) {
#pragma omp cancel parallel
			}
			copy_apart();
			if (omp_get_cancellation() && me % 2) {
#pragma omp cancellation point parallel
			}
			copy_apart();
			copy_apart();
			add(&ended);
#pragma omp barrier
			CHECK(n == 1 || !omp_get_cancellation());
		}
		CHECK(ended == (omp_get_cancellation() ? (size - 1) / 2 : size), "%d of %d", ended, size);
	}
}

/* Copyprivate in a region that is cancelled meanwhile: the members that stay get the value. */
static void
copies(int threads)
{
	for (int round = 0; round < ROUNDS; round++) {
		int wrong = 0;
#pragma omp parallel num_threads(threads)
		{
			static int source;
			int *value = NULL;
			if (omp_get_num_threads() > 1 && omp_get_thread_num() == round % omp_get_num_threads()) {
#pragma omp cancel parallel
			}
#pragma omp single copyprivate(value)
			value = &source;
			if (value != &source)
				add(&wrong);
		}
		CHECK(wrong == 0, "%d members have no value", wrong);
	}
}

/* Each loop is cancelled by its own number: the next one runs whole, although no member was told to forget. */
static void
loops(int threads)
{
	int whole = 0, size = 0;
#pragma omp parallel num_threads(threads)
	{
		__atomic_store_n(&size, omp_get_num_threads(), __ATOMIC_SEQ_CST);
		for (int round = 0; round < ROUNDS; round++) {
#pragma omp for schedule(dynamic)
			for (int i = 0; i < 1000; i++) {
#pragma omp cancel for if (round % 2 == 0)
			}
#pragma omp for
			for (int i = 0; i < 50; i++) {
#pragma omp cancellation point for
				add(&whole);
			}
		}
	}
	CHECK(whole == 50 * ROUNDS, "%d of %d iterations", whole, 50 * ROUNDS);
}

static void
all(int threads)
{
	regions(threads);
	functions(threads);
	one_by_one(threads);
	copies(threads);
	loops(threads);
}

int
main(void)
{
	int threads = omp_get_max_threads();
	all(threads);
#pragma omp parallel num_threads(2)
	all(threads < 20 ? threads : 20);
	return check_end();
}
