// 10,000 short-lived pthreads of the program, each with regions of its own, tasks in them, and nested ones now and
// then: neither memory nor threads pile up behind them.
// threads: 2 8
// limit: 90
#include <dirent.h>
#include <omp.h>
#include <pthread.h>

#include "check.h"

#define AT_ONCE 8
#define TOTAL 10000

static int
tasks(void)
{
	DIR *dir = opendir("/proc/self/task");
	int count = 0;

	for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
		count += entry->d_name[0] != '.';
	closedir(dir);
	return count;
}

/* KiB: all, and what lies in memory. */
static void
sizes(long *all, long *resident)
{
	FILE *file = fopen("/proc/self/statm", "r");

	CHECK(fscanf(file, "%ld %ld", all, resident) == 2);
	fclose(file);
	*all *= 4;
	*resident *= 4;
}

static void *
body(void *arg)
{
	long id = (long)arg;
	int members = 0, done = 0;

	if (id % 5 == 0)
		omp_set_num_threads(3);
	if (id % 50 == 0)
		omp_set_max_active_levels(2);
#pragma omp parallel reduction(+ : members)
	{
		members++;
#pragma omp single
		for (int i = 0; i < 3; i++)
#pragma omp task
#pragma omp atomic
			done++;
		if (id % 50 == 0)
#pragma omp parallel num_threads(3)
			{
#pragma omp barrier
			}
	}
	CHECK(members == omp_get_max_threads() && done == 3, "%d %d", members, done);
	if (id % 3 == 1)
		pthread_exit(arg);
	if (id % 3 == 2) {
		pthread_cancel(pthread_self());
		pthread_testcancel();
	}
	return arg;
}

int
main(void)
{
	long all = 0, resident = 0, all_after, resident_after;
	/* All members of all teams at once, nested ones included, each suspended: more are never needed. */
	const int most = AT_ONCE * (omp_get_max_threads() + 3) * 3;

	for (long id = 0; id < TOTAL; id += AT_ONCE) {
		pthread_t thread[AT_ONCE];

		for (long i = 0; i < AT_ONCE; i++)
			CHECK(pthread_create(&thread[i], NULL, body, (void *)(id + i)) == 0);
		for (int i = 0; i < AT_ONCE; i++)
			pthread_join(thread[i], NULL);
		if (id == TOTAL / 5)
			sizes(&all, &resident);
	}
	CHECK_SOON(tasks() <= most, "%d threads, at most %d", tasks(), most);
	sizes(&all_after, &resident_after);
	CHECK(resident_after < resident + 4096, "%ld KiB in memory, %ld earlier", resident_after, resident);
	CHECK(all_after < all + 1024 * 1024, "%ld KiB, %ld earlier", all_after, all);
	return check_end();
}
