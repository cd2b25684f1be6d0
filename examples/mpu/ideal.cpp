// Forks a process for each share. A barrier in shared memory starts each repetition on all of them at once.
#include "ideal.h"

#include <algorithm>
#include <chrono>

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mpu {

static void
process_bind(int wanted)
{
	cpu_set_t all, one;
	sched_getaffinity(0, sizeof all, &all);
	int seen = wanted % CPU_COUNT(&all);
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all) && seen-- == 0)
			CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof one, &one);
}

std::vector<double>
ideal_run(refiner &refiner, const std::vector<share> &shares, int repeat)
{
	size_t n = shares.size(), bytes = sizeof(pthread_barrier_t) + 64 + n * (size_t)repeat * sizeof(double);
	void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		fail("no shared memory for %zu processes", n);
	pthread_barrier_t *barrier = static_cast<pthread_barrier_t *>(memory);
	double *times = reinterpret_cast<double *>(static_cast<char *>(memory) + (sizeof(pthread_barrier_t) + 63) / 64 * 64);
	pthread_barrierattr_t attributes;
	pthread_barrierattr_init(&attributes);
	pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(barrier, &attributes, (unsigned)n);
	std::vector<pid_t> children;
	for (size_t i = 0; i < n; i++) {
		pid_t pid = fork();
		if (pid < 0)
			fail("fork: process %zu of %zu could not be started", i + 1, n);
		if (pid > 0) {
			children.push_back(pid);
			continue;
		}
		process_bind((int)i);
		tree_create(refiner.tree, refiner.index.points.size()); // its own memory, so that nothing is copied on write under the clock
		for (int run = 0; run < repeat; run++) {
			tree_clear(refiner.tree);
			pthread_barrier_wait(barrier);
			auto start = std::chrono::steady_clock::now();
			refine_share(refiner, shares[i]);
			times[(size_t)run * n + i] =
				std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
		}
		_exit(0);
	}
	bool failed = false;
	for (pid_t pid : children) {
		int status;
		failed |= waitpid(pid, &status, 0) != pid || status != 0;
	}
	if (failed)
		fail("--ideal: one of the processes died");
	std::vector<double> slowest;
	for (int run = 0; run < repeat; run++)
		slowest.push_back(*std::max_element(times + (size_t)run * n, times + (size_t)(run + 1) * n));
	munmap(memory, bytes);
	return slowest;
}

} // namespace mpu
