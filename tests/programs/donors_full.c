// A process without a free file descriptor keeps its unused donors, because the C library needs one when a pthread ends. They
// end once there is a descriptor.
// cpus: 2
// limit: 60
// env: OMP_MAX_ACTIVE_LEVELS=2
#include <dirent.h>
#include <fcntl.h>
#include <omp.h>
#include <sys/resource.h>

#include "check.h"

#define OUTER 4
#define INNER 8
#define FEW (OUTER + 12)
#define DESCRIPTORS 64
#define PERIODS 3
#define PATIENCE 20

static int
kernel_threads(void)
{
	int n = 0;
	DIR *folder = opendir("/proc/self/task");
	for (struct dirent *entry; (entry = readdir(folder));)
		n += entry->d_name[0] != '.';
	closedir(folder);
	return n;
}

static void
rounds(int n)
{
	for (int i = 0; i < n; i++) {
#pragma omp parallel num_threads(OUTER)
#pragma omp parallel num_threads(INNER)
		{
			for (volatile int x = 0; x < 300;)
				x++;
#pragma omp barrier
		}
	}
}

int
main(void)
{
	struct rlimit limit = {DESCRIPTORS, DESCRIPTORS};
	int files[DESCRIPTORS], n = 0, there = 0;
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	rounds(1000);
	while ((files[n] = open("/dev/null", O_RDONLY)) >= 0)
		n++;
	sleep(PERIODS);
	rounds(10);
	omp_pause_resource_all(omp_pause_hard); /* it may be refused */
	rounds(10);
	while (n > 0)
		close(files[--n]);
	for (double until = check_now() + PATIENCE; (there = kernel_threads()) > FEW && check_now() < until;)
		usleep(100000);
	CHECK(there <= FEW, "%d kernel threads at rest, at most %d", there, FEW);
	CHECK(omp_pause_resource_all(omp_pause_hard) == 0);
	return check_end();
}
