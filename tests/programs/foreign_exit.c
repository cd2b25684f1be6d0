// 300 pthreads of the program open regions and end by return, pthread_exit or cancellation: nothing piles up.
// threads: 2 8
#include <dirent.h>
#include <omp.h>
#include <pthread.h>

#include "check.h"

static pthread_key_t key;
static int destroyed;

static void
at_end(void *value)
{
	(void)value;
	__atomic_fetch_add(&destroyed, 1, __ATOMIC_RELAXED);
}

static void *
body(void *arg)
{
	int sum = 0;
	long how = (long)arg % 3;

	pthread_setspecific(key, &key);
#pragma omp parallel reduction(+ : sum)
	sum++;
	CHECK(sum == omp_get_max_threads());
	if (how == 1)
		pthread_exit(arg);
	if (how == 2) {
		pthread_cancel(pthread_self());
		pthread_testcancel();
		CHECK(0);
	}
	return arg;
}

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

static long
address_space(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (fscanf(file, "%ld", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages * 4;
}

int
main(void)
{
	long before = 0;
	int many = 0;

	pthread_key_create(&key, at_end);
	for (long round = 0; round < 100; round++) {
		pthread_t thread[3];

		for (long i = 0; i < 3; i++)
			pthread_create(&thread[i], NULL, body, (void *)(round * 3 + i));
		for (int i = 0; i < 3; i++)
			pthread_join(thread[i], NULL);
		if (round == 30) {
			before = address_space();
			many = tasks();
		}
	}
	CHECK_SOON(tasks() <= many + 16, "%d threads, %d earlier", tasks(), many);
	CHECK_SOON(address_space() < before + 400 * 1024, "%ld KiB, %ld earlier", address_space(), before);
	CHECK(destroyed >= 300, "%d", destroyed);
	return check_end();
}
