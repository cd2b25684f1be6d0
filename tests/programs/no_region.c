// A program without a region starts no thread, even though it asks the runtime and meets constructs alone.
// threads: 2 64
#include <dirent.h>
#include <omp.h>

#include "check.h"

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

int
main(void)
{
	int sum = 0;
	omp_lock_t lock;

	CHECK(tasks() == 1, "%d", tasks());
	omp_init_lock(&lock);
	omp_set_lock(&lock);
	omp_unset_lock(&lock);
	omp_set_num_threads(omp_get_num_procs() + omp_get_max_threads());
#pragma omp for schedule(dynamic)
	for (int i = 0; i < 10; i++)
		sum += i;
#pragma omp critical
	sum++;
#pragma omp barrier
#pragma omp parallel if (0)
	sum++;
#pragma omp parallel num_threads(1)
	sum++;
#pragma omp task shared(sum)
	sum++;
#pragma omp taskwait
	CHECK(sum == 49, "%d", sum);
	CHECK(tasks() == 1, "%d", tasks());
	return check_end();
}
