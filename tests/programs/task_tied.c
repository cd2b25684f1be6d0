// Only its descendants may run on top of a suspended task, tied or not. Each thread keeps a list of the tasks that it
// has begun and not ended.
// threads: 1 2 3 8
// env: -
// env: FGOMP_THREADS=kernel
// stock: fails (it runs any task that it finds at the end of a taskgroup)
#include <omp.h>

#include "check.h"

struct one {
	struct one *parent;   /* in the tree of tasks; NULL: of an implicit task */
	struct one *below;    /* on the same thread */
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
begin(struct one *task, struct one *parent)
{
	*task = (struct one){parent, top};
	for (struct one *suspended = top; suspended; suspended = suspended->below)
		CHECK(descends(task, suspended), "on top of a task that it does not descend from");
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

	begin(task, parent);
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

static void
wait_for(int *word)
{
	while (!__atomic_load_n(word, __ATOMIC_SEQ_CST))
		usleep(100);
}

/* Untied tasks yield, and wait for a child, while they hold a lock that the others want: no thread may take one of
 * those on top. */
static void
within_critical(void)
{
	int ran = 0;

#pragma omp parallel
#pragma omp single
#pragma omp taskloop untied grainsize(1) shared(ran)
	for (int i = 0; i < 40; i++) {
#pragma omp critical(tied)
		{
			if (i % 2) {
#pragma omp taskyield
			} else {
#pragma omp task
				check_burn(1);
#pragma omp taskwait
			}
			ran++;
		}
	}
	CHECK(ran == 40);
}

/* A task waits for a child that runs elsewhere: its thread leaves an unrelated one alone. */
static void
unrelated(void)
{
	int child_runs = 0;

#pragma omp parallel num_threads(3) shared(child_runs)
#pragma omp masked
	{
#pragma omp task shared(child_runs)
		{
			struct one own;
			begin(&own, NULL);
#pragma omp task shared(child_runs)
			{
				__atomic_store_n(&child_runs, 1, __ATOMIC_SEQ_CST);
				usleep(20000);
			}
			wait_for(&child_runs);
#pragma omp taskwait
			end(&own);
		}
		wait_for(&child_runs);
#pragma omp task
		{
			struct one own;
			begin(&own, NULL);
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
	within_critical();
	if (omp_get_max_threads() > 1)
		unrelated();
	return check_end();
}
