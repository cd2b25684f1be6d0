// Tasks with if(0) run at once and are tasks all the same: their own ICVs, nest locks, data and children; in the groups
// and reductions that their creator is in; after those that they depend on. Before the member has met any other task,
// after that, and outside any region.
// threads: 1 2 8
// env: -
// env: FGOMP_THREADS=kernel
// env: OMP_CANCELLATION=true
// stock: fails (it waits for ever for children of such tasks)
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

struct large {
	char byte[700];
};

struct aligned {
	_Alignas(64) long word[4];
};

static void
icvs(void)
{
	int before = omp_get_max_threads();

#pragma omp task if (0)
	{
		CHECK(!omp_in_final());
		CHECK(omp_get_max_threads() == before);
		omp_set_num_threads(before + 2);
#pragma omp task if (0)
		{
			CHECK(omp_get_max_threads() == before + 2);
			omp_set_num_threads(before + 5);
		}
		CHECK(omp_get_max_threads() == before + 2);
	}
	CHECK(omp_get_max_threads() == before, "%d", omp_get_max_threads());
#pragma omp task if (0) final(1)
	{
		int inner = 0;
		CHECK(omp_in_final());
#pragma omp task shared(inner)
		inner = omp_in_final();
		CHECK(inner, "a child of a final task was put off");
	}
}

/* A nest lock belongs to the task that has set it. */
static void
nest_locks(void)
{
	omp_nest_lock_t lock;

	omp_init_nest_lock(&lock);
	omp_set_nest_lock(&lock);
#pragma omp task if (0) shared(lock)
	CHECK(!omp_test_nest_lock(&lock), "it is the creator's");
	CHECK(omp_test_nest_lock(&lock) == 2);
	omp_unset_nest_lock(&lock);
	omp_unset_nest_lock(&lock);
#pragma omp task if (0) shared(lock)
	{
		CHECK(omp_test_nest_lock(&lock) == 1);
		CHECK(omp_test_nest_lock(&lock) == 2);
		omp_unset_nest_lock(&lock);
		omp_unset_nest_lock(&lock);
	}
	CHECK(omp_test_nest_lock(&lock) == 1);
	omp_unset_nest_lock(&lock);
	omp_destroy_nest_lock(&lock);
}

static void
data(long seed)
{
	struct large large;
	struct aligned aligned = {{seed, seed + 1, seed + 2, seed + 3}};
	long word = seed;

	memset(&large, (int)(seed & 63), sizeof large);
#pragma omp task if (0) firstprivate(large, word)
	{
		for (unsigned i = 0; i < sizeof large; i++)
			CHECK(large.byte[i] == (word & 63));
		memset(&large, 0, sizeof large);
		word = 0;
	}
	CHECK(word == seed && large.byte[0] == (seed & 63) && large.byte[sizeof large - 1] == (seed & 63));
#pragma omp task if (0) firstprivate(aligned)
	{
		CHECK((uintptr_t)&aligned % 64 == 0);
		CHECK(aligned.word[3] == aligned.word[0] + 3);
		aligned.word[0] = -1;
	}
	CHECK(aligned.word[0] == seed);
}

static void
children(void)
{
	int count = 0, group = 0, sum = 0, x = 0;

#pragma omp task if (0) shared(count)
	{
		for (int i = 0; i < 40; i++)
#pragma omp task shared(count)
			__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
#pragma omp taskwait
		CHECK(count == 40);
	}
	CHECK(count == 40);
#pragma omp taskgroup
	{
#pragma omp task if (0) shared(group)
		for (int i = 0; i < 40; i++)
#pragma omp task shared(group)
			__atomic_fetch_add(&group, 1, __ATOMIC_RELAXED);
	}
	CHECK(group == 40, "the group's end did not wait for all: %d", group);
#pragma omp taskgroup task_reduction(+ : sum)
	for (int i = 0; i < 40; i++) {
#pragma omp task if (0) in_reduction(+ : sum)
		sum += i;
#pragma omp task in_reduction(+ : sum)
		sum += i;
	}
	CHECK(sum == 40 * 39, "%d", sum);
	for (int i = 0; i < 10; i++) {
#pragma omp task depend(inout : x) shared(x)
		{
			check_burn(20);
			x++;
		}
#pragma omp task if (0) depend(inout : x) shared(x)
		x *= 2;
		CHECK(x == (2 << (i + 1)) - 2, "%d", x);
	}
}

static int total;

static void
all(long seed)
{
	icvs();
	nest_locks();
	data(seed);
	children();
	icvs();
	nest_locks();
	data(seed + 1);
}

int
main(void)
{
	all(5);
	for (int round = 0; round < 20; round++) {
		total = 0;
#pragma omp parallel
		{
			all(round + omp_get_thread_num());
#pragma omp barrier
			all(round);
		}
#pragma omp parallel
		nest_locks(); /* no thread has met a task here */
#pragma omp parallel reduction(task, + : total)
		{
#pragma omp task if (0) in_reduction(+ : total)
			total++;
		}
		CHECK(total == omp_get_max_threads(), "%d", total);
#pragma omp parallel
#pragma omp single
		{
			/* The others make none that is put off. */
			for (int i = 0; i < 40; i++)
#pragma omp task
				data(i);
		}
	}
	return check_end();
}
