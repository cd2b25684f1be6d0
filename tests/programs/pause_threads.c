// omp_pause_resource ends all threads of the runtime, also those that took over for a blocked member or ran nested
// regions. It frees their memory and runs the destructors of their threadprivate data, and new threads have new data. A
// child of fork can pause too.
// threads: 1 2 8
// env: -
// env: FGOMP_THREADS=kernel
// env: FGOMP_SCHED=spread
// env: OMP_PLACES=threads OMP_PROC_BIND=close
// limit: 60
// stock: fails (it knows nothing of the threads of nested regions)
#include <dirent.h>
#include <malloc.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int number = -1;
#pragma omp threadprivate(number)
static pthread_key_t key;
static atomic_int destroyed;

static void
destroy(void *value)
{
	(void)value;
	destroyed++;
}

static int
entries(const char *folder)
{
	int n = 0;
	DIR *dir = opendir(folder);
	for (struct dirent *e; (e = readdir(dir));)
		n += e->d_name[0] != '.';
	closedir(dir);
	return n;
}

/* The kernel wakes those that join a thread a little before it takes the thread off this list. */
static int
threads_left(void)
{
	int n = entries("/proc/self/task");
	for (int i = 0; i < 100 && n > 1; i++) {
		usleep(10000);
		n = entries("/proc/self/task");
	}
	return n;
}

static long
mapped_kib(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	CHECK(fscanf(file, "%ld", &pages) == 1);
	fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void
all_constructs(void)
{
	int fresh = 0, same = 0, members = 0, nested = 0, tasks = 0;

#pragma omp parallel reduction(+ : fresh, members)
	{
		members++;
		fresh += number == -1;
		number = omp_get_thread_num();
		pthread_setspecific(key, &key);
	}
	int max = omp_get_max_threads();
	CHECK(members == max && fresh >= max - 1, "%d of %d", fresh, members);
	number = 0;
#pragma omp parallel reduction(+ : same)
	same += number == omp_get_thread_num();
	CHECK(same == max, "%d", same);
	number = -1;
	/* Members that block in the kernel while others want their CPU. */
#pragma omp parallel num_threads(6)
	{
		usleep(5000);
#pragma omp barrier
		for (volatile int i = 0; i < 100000; i++)
			;
	}
#pragma omp parallel num_threads(3) reduction(+ : nested)
#pragma omp parallel num_threads(4) reduction(+ : nested)
	nested++;
	CHECK(nested == 12, "%d", nested);
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 100; i++)
#pragma omp task shared(tasks)
#pragma omp atomic
		tasks++;
	CHECK(tasks == 100, "%d", tasks);
}

static void
rounds(int n)
{
	long before = 0;
	for (int i = 0; i < n; i++) {
		all_constructs();
		CHECK(omp_pause_resource_all(i & 1 ? omp_pause_soft : omp_pause_hard) == 0);
		CHECK(threads_left() == 1, "%d", threads_left());
		int members = omp_get_max_threads() - 1, gone = destroyed;
		CHECK(gone == members * (i + 1), "%d", gone);
		if (i == 2)
			before = mapped_kib();
	}
	long after = mapped_kib();
	CHECK(after <= before + 40960, "%ld KiB, %ld before", after, before);
}

int
main(void)
{
	int files = entries("/proc/self/fd");
	mallopt(M_ARENA_MAX, 1); /* their memory is kept by the C library, like that of some stacks */
	omp_set_max_active_levels(2);
	pthread_key_create(&key, destroy);
	rounds(20);
	CHECK(entries("/proc/self/fd") <= files + 1, "%d files, %d before", entries("/proc/self/fd"), files);
	all_constructs();
	pid_t child = fork();
	if (child == 0) {
		int old = destroyed = 0;
		CHECK(omp_pause_resource_all(omp_pause_hard) == 0);
		CHECK(destroyed == old);
		rounds(3);
		_exit(check_end());
	}
	int status;
	waitpid(child, &status, 0);
	CHECK(status == 0, "%d", status);
	return check_end();
}
