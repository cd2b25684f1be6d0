// A policy (sent_module.c) finds the regions in flight and sends their threads to other PUs, while they compute, wait
// for a PU or wait for a barrier. Each runs there afterwards, no member is lost, and the sums of the tree are right. No
// system call ends early.
// threads: 2
// library: sent_module.c
// limit: 60
// stock: fails (it has no policies)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define OUTER 2
#define INNER 4
#define ARRIVALS 20 /* threads that were sent while they ran, and then ran where they should */

static void
work(unsigned turns)
{
	for (volatile unsigned i = 0; i < turns; i++)
		;
}

/* Returns the phases that all members have done. */
static int
phases(const volatile unsigned *arrived)
{
	static int done[OUTER][INNER], stop[OUTER];
	memset(done, 0, sizeof done);
	memset(stop, 0, sizeof stop);
#pragma omp parallel num_threads(OUTER)
	{
		int team = omp_get_thread_num();
#pragma omp parallel num_threads(INNER)
		while (!stop[team]) {
			work(3000000);
			if (omp_get_thread_num() == INNER - 1)
				CHECK(nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL) == 0, "it ended early");
			done[team][omp_get_thread_num()]++;
#pragma omp barrier
#pragma omp master
			stop[team] = *arrived >= ARRIVALS;
#pragma omp barrier
		}
	}
	for (int team = 0; team < OUTER; team++)
		for (int k = 1; k < INNER; k++)
			CHECK(done[team][k] == done[team][0], "%d %d", done[team][k], done[team][0]);
	return done[0][0];
}

int
main(int argc, char **argv)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
	CHECK(length > 0);
	path[length] = 0;
	strcpy(strrchr(path, '/'), "/sent_module.so");
	if (argc == 1) {
		setenv("FGOMP_SCHED", path, 1);
		execl("/proc/self/exe", argv[0], "again", NULL);
		return 1;
	}
	void *module = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
	CHECK(module);
	const volatile unsigned *arrived = dlsym(module, "sent_arrived"), *wrong = dlsym(module, "sent_wrong_sums");
	omp_set_max_active_levels(2);
	CHECK(phases(arrived) > 0);
	CHECK(*wrong == 0, "%u", *wrong);
	return check_end();
}
