// What may run on top of a suspended task: of a tied one only its descendants, of an untied one anything that the tied ones below it
// allow. Each thread keeps a list of the tasks it has begun and not ended.
// threads: 1 2 3 8
// env: -
// env: FGOMP_THREADS=kernel
// stock: fails (it runs whatever it finds at the end of a taskgroup)
#include <omp.h>

#include "check.h"

struct one {
	struct one *parent;   /* in the tree of tasks; NULL: of an implicit task */
	struct one *below;    /* on the same thread */
	int untied, thread;   /* `thread` is the implicit task's of the whole tree */
};

static struct one *top; /* of the thread */
#pragma omp threadprivate(top)

static int
descends(const struct one *task, const struct one *of)
{
	while (task && task != of)
		task = task->parent;
	return task != NULL;
}

static void
begin(struct one *task, struct one *parent, int untied)
{
	*task = (struct one){parent, top, untied, 0};
	for (struct one *suspended = top; suspended; suspended = suspended->below)
		CHECK(suspended->untied || descends(task, suspended), "on top of a tied task that it does not descend from");
	top = task;
}

static void
end(struct one *task)
{
	CHECK(top == task);
	top = task->below;
}

static void
grow(struct one *parent, int depth, unsigned seed, int untied)
{
	struct one own, *task = &own;

	begin(task, parent, untied);
	check_burn(seed % 8);
	if (depth > 0) {
		for (unsigned i = 0; i < 3; i++) {
			unsigned next = seed * 1664525u + 1013904223u * (i + 1);
			int child_untied = untied && next >> 30;
			if (child_untied) {
#pragma omp task untied firstprivate(next)
				grow(task, depth - 1, next >> 8, 1);
			} else {
#pragma omp task firstprivate(next)
				grow(task, depth - 1, next >> 8, 0);
			}
			if (next >> 8 & 1) {
#pragma omp taskyield
			}
		}
		if (seed & 1) {
#pragma omp taskwait
		} else {
#pragma omp taskgroup
			{
#pragma omp task
				grow(task, 0, seed, 0);
			}
#pragma omp taskwait
		}
	}
	end(task);
}

static int
wait_for(int *word)
{
	double until = check_now() + 5;

	while (!__atomic_load_n(word, __ATOMIC_SEQ_CST) && check_now() < until)
		usleep(100);
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

/* An untied task waits for a child that another thread runs, and that for a task which has nothing to do with either, while its maker,
 * a third thread, computes. */
static void
unrelated(void)
{
	int child_runs = 0, other_ran = 0;

#pragma omp parallel num_threads(3) shared(child_runs, other_ran)
#pragma omp masked
	{
#pragma omp task untied shared(child_runs, other_ran)
		{
#pragma omp task shared(child_runs, other_ran)
			{
				__atomic_store_n(&child_runs, 1, __ATOMIC_SEQ_CST);
				CHECK(wait_for(&other_ran), "nobody ran the other task meanwhile");
			}
			CHECK(wait_for(&child_runs));
#pragma omp taskwait
		}
		CHECK(wait_for(&child_runs));
#pragma omp task shared(other_ran)
		__atomic_store_n(&other_ran, 1, __ATOMIC_SEQ_CST);
		wait_for(&other_ran);
	}
}

/* The same with a tied task: its thread leaves the other one alone. */
static void
unrelated_tied(void)
{
	int child_runs = 0;

#pragma omp parallel num_threads(3) shared(child_runs)
#pragma omp masked
	{
#pragma omp task shared(child_runs)
		{
			struct one own;
			begin(&own, NULL, 0);
#pragma omp task shared(child_runs)
			{
				__atomic_store_n(&child_runs, 1, __ATOMIC_SEQ_CST);
				usleep(20000);
			}
			CHECK(wait_for(&child_runs));
#pragma omp taskwait
			end(&own);
		}
		CHECK(wait_for(&child_runs));
#pragma omp task
		{
			struct one own;
			begin(&own, NULL, 0);
			end(&own);
		}
		usleep(10000);
	}
}

int
main(void)
{
	for (int i = 0; i < 10; i++) {
#pragma omp parallel
		{
			unsigned seed = 77u * i + omp_get_thread_num();
#pragma omp task firstprivate(seed)
			grow(NULL, 4, seed, i % 2);
#pragma omp task firstprivate(seed)
			grow(NULL, 4, seed + 5, 0);
		}
	}
	if (omp_get_max_threads() > 1) {
		unrelated();
		unrelated_tied();
	}
	return check_end();
}
