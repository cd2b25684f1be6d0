// One real race for each construct: the construct is there, but does not give the order that the program relies on.
// `races` lists the names, and `races NAME` runs one. A race detector must report it, in the function of that name, and
// nothing else.
#include <omp.h>
#include <stdio.h>
#include <string.h>

/* Waits until n threads are here without ordering them: so two members, or two tasks, do run on different threads. Then
 * they go on one after the other, each when the one before has called leave, because a detector overlooks accesses at
 * the very same moment. */
static void
gather(int *count, int n)
{
	int place = __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	while (__atomic_load_n(count, __ATOMIC_RELAXED) < n + place)
		;
}

static void
leave(int *count)
{
	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

static void
no_barrier(void)
{
	int x = 0, here = 0;
#pragma omp parallel num_threads(2)
	{
		gather(&here, 2);
		x++;
		leave(&here);
	}
}

/* The write is behind the barrier for one member, and the other reads it before the next one. */
static void
wrong_side_of_barrier(void)
{
	int x = 0, here = 0, y = 0;
#pragma omp parallel num_threads(2)
	{
		int me = omp_get_thread_num();
#pragma omp barrier
		gather(&here, 2);
		if (me)
			x = 1;
		else
			y = x;
		leave(&here);
#pragma omp barrier
	}
	(void)y;
}

static void
many_members(void)
{
	int x = 0, here = 0;
#pragma omp parallel num_threads(8)
	{
#pragma omp barrier
		gather(&here, 8);
		if (omp_get_thread_num() > 5)
			x++;
		leave(&here);
	}
}

static void
nested(void)
{
	int x = 0, here = 0;
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		gather(&here, 2);
		x++;
		leave(&here);
	}
}

static void
nowait(void)
{
	int a[2] = {0}, b[2], here = 0;
#pragma omp parallel num_threads(2)
	{
#pragma omp for schedule(static) nowait
		for (int i = 0; i < 2; i++)
			a[i] = i;
		gather(&here, 2);
#pragma omp for schedule(static) nowait
		for (int i = 0; i < 2; i++)
			b[i] = a[1 - i];
		leave(&here);
	}
	(void)b;
}

static void
master(void)
{
	int x = 0, y = 0, here = 0;
#pragma omp parallel num_threads(2)
	{
		gather(&here, 2);
#pragma omp master
		x = 1;
		if (omp_get_thread_num())
			y = x;
		leave(&here);
	}
	(void)y;
}

static void
two_criticals(void)
{
	int x = 0, here = 0;
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num()) {
#pragma omp critical(one)
		{
			gather(&here, 2);
			x++;
			leave(&here);
		}
	} else {
#pragma omp critical(other)
		{
			gather(&here, 2);
			x++;
			leave(&here);
		}
	}
}

static void
two_locks(void)
{
	int x = 0, here = 0;
	omp_lock_t lock[2];
	omp_init_lock(&lock[0]);
	omp_init_lock(&lock[1]);
#pragma omp parallel num_threads(2)
	{
		omp_set_lock(&lock[omp_get_thread_num()]);
		gather(&here, 2);
		x++;
		leave(&here);
		omp_unset_lock(&lock[omp_get_thread_num()]);
	}
}

static void
outside_ordered(void)
{
	int x = 0, here = 0;
#pragma omp parallel for ordered schedule(static) num_threads(2)
	for (int i = 0; i < 2; i++) {
#pragma omp ordered
		;
		gather(&here, 2);
		x = i;
		leave(&here);
	}
}

static void
sibling_tasks(void)
{
	int x = 0, here = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 2; i++)
#pragma omp task shared(x, here)
	{
		gather(&here, 2);
		x++;
		leave(&here);
	}
}

static void
no_taskwait(void)
{
	int x = 0, here = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(x, here)
		{
			gather(&here, 2);
			x = 1;
			leave(&here);
		}
		gather(&here, 2);
		x = 2;
		leave(&here);
	}
}

static void
other_dependence(void)
{
	int x = 0, a, b, here = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task depend(out : a) shared(x, here)
		{
			gather(&here, 2);
			x = 1;
			leave(&here);
		}
#pragma omp task depend(in : b) shared(x, here)
		{
			gather(&here, 2);
			x = 2;
			leave(&here);
		}
	}
}

#define RACES(X)                                                                                                       \
	X(no_barrier)                                                                                                  \
	X(wrong_side_of_barrier)                                                                                       \
	X(many_members)                                                                                                \
	X(nested)                                                                                                      \
	X(nowait)                                                                                                      \
	X(master)                                                                                                      \
	X(two_criticals)                                                                                               \
	X(two_locks)                                                                                                   \
	X(outside_ordered)                                                                                             \
	X(sibling_tasks)                                                                                               \
	X(no_taskwait)                                                                                                 \
	X(other_dependence)

int
main(int argc, char **argv)
{
#define RUN(name)                                                                                                      \
	if (argc == 1)                                                                                                 \
		puts(#name);                                                                                           \
	else if (!strcmp(argv[1], #name))                                                                              \
		name();
	RACES(RUN)
	return 0;
}
