// A process that is stopped for longer than a policy may keep threads goes on under that policy, because no policy acts
// meanwhile. Two teams take turns under the example of a gang scheduler, and the parent stops and continues them.
// threads: 2
// cpus: 2
// library: gangs_module.c
// limit: 60
// stock: fails (it has no policies)
#define _GNU_SOURCE
#include <omp.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "check.h"

#define STOPS 5
#define STOPPED_US 2300000 /* the watchdog blames a policy after 2 s */
#define ROUNDS 20

/* The teams run until the parent closes the pipe. Each writes a byte where it has come further. */
static void
teams(void)
{
	int over = 0;
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		for (volatile int i = 0; i < 1000000; i++)
			;
		if (write(1, omp_get_ancestor_thread_num(1) ? "b" : "a", 1) != 1)
			__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	}
}

/* Both teams have come further. */
static void
await(int from)
{
	int changes = 0;
	for (char last = 0, byte; changes < ROUNDS; last = byte) {
		CHECK(read(from, &byte, 1) == 1);
		if (check_failures)
			return;
		changes += byte != last;
	}
}

int
main(int argc, char **argv)
{
	char path[4096], sched[4200], said[1000] = "";
	int progress[2], error[2], status;
	if (argc > 1) {
		signal(SIGPIPE, SIG_IGN);
		teams();
		return 0;
	}
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
	CHECK(length > 0 && pipe(progress) == 0 && pipe(error) == 0);
	path[length] = 0;
	strcpy(strrchr(path, '/'), "/gangs_module.so");
	snprintf(sched, sizeof sched, "%s,slice=0.02", path);
	pid_t child = fork();
	if (child == 0) {
		dup2(progress[1], 1);
		dup2(error[1], 2);
		for (int i = 0; i < 2; i++)
			(close(progress[i]), close(error[i]));
		setenv("FGOMP_SCHED", sched, 1);
		execl("/proc/self/exe", argv[0], "teams", NULL);
		_exit(1);
	}
	close(progress[1]);
	close(error[1]);
	await(progress[0]);
	for (int i = 0; i < STOPS; i++) {
		kill(child, SIGSTOP);
		usleep(STOPPED_US);
		kill(child, SIGCONT);
		await(progress[0]);
	}
	close(progress[0]);
	CHECK(waitpid(child, &status, 0) == child && status == 0, "%d", status);
	CHECK(read(error[0], said, sizeof said - 1) == 0, "%s", said);
	return check_end();
}
