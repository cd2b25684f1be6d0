// A process without a free file descriptor keeps its unused donors, because the C library needs one when a pthread
// ends. They end once there is a descriptor.
// cpus: 2
// limit: 60
// env: OMP_MAX_ACTIVE_LEVELS=2
#include <fcntl.h>
#include <omp.h>
#include <sys/resource.h>

#include "check.h"
#include "donors.h"

#define FEW (OUTER + 12)
#define DESCRIPTORS 64
#define PERIODS 3
#define PATIENCE 20

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
