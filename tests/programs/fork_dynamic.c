// A thread forks while another looks how busy the machine is, for OMP_DYNAMIC: the child looks for itself. A look asks
// sysconf for the length of a tick. Here that function is this program's, so that the fork comes in the midst of a
// look.
// env: OMP_DYNAMIC=true
// stock: fails (takes the load average instead, and does not call sysconf)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>

#include "check.h"

static int looks, holds;

long
sysconf(int name)
{
	long (*real)(int) = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");

	if (name == _SC_CLK_TCK) {
		__atomic_fetch_add(&looks, 1, __ATOMIC_SEQ_CST);
		while (__atomic_load_n(&holds, __ATOMIC_SEQ_CST))
			;
	}
	return real(name);
}

static void *
region(void *arg)
{
#pragma omp parallel num_threads(4)
	__atomic_fetch_add((int *)arg, 1, __ATOMIC_RELAXED);
	return NULL;
}

int
main(void)
{
	pthread_t thread;
	int members = 0, status = -1;

	holds = 1;
	CHECK(pthread_create(&thread, NULL, region, &members) == 0);
	while (!__atomic_load_n(&looks, __ATOMIC_SEQ_CST))
		usleep(1000);
	pid_t child = fork();
	if (child == 0) {
		looks = holds = 0;
		region(&members);
		_exit(looks > 0 ? 7 : 1); // the monitor may have looked, too
	}
	__atomic_store_n(&holds, 0, __ATOMIC_SEQ_CST);
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7, "status %x",
	      status);
	CHECK(pthread_join(thread, NULL) == 0 && members > 0);
	return check_end();
}
