// The monitor may use the PUs that the process may use when it starts. PUs that were taken from all threads before are
// not its own; PUs that one thread has given up for itself are.
// stock: fails (has no monitor)
#define _GNU_SOURCE
#include <dirent.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>

#include "check.h"

static cpu_set_t all, one;
static pthread_barrier_t met;

static int
task_named(const char *name)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	int found = 0;

	while (!found && (task = readdir(tasks))) {
		char path[300], text[32] = "";
		snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
		FILE *file = task->d_name[0] == '.' ? NULL : fopen(path, "r");

		if (file && fgets(text, sizeof text, file) && strncmp(text, name, strlen(name)) == 0)
			found = atoi(task->d_name);
		if (file)
			fclose(file);
	}
	closedir(tasks);
	return found;
}

// More members than PUs: so the monitor looks after those that wait.
static void
crowd(const cpu_set_t *wanted)
{
#pragma omp parallel num_threads(3 * CPU_COUNT(&all))
	for (int i = 0; i < 10; i++) {
#pragma omp barrier
		;
	}
	cpu_set_t mask = {0};
	int monitor = 0;
	CHECK_SOON((monitor = task_named("fg-monitor")), "there is no monitor");
	CHECK_SOON(sched_getaffinity(monitor, sizeof mask, &mask) == 0 && CPU_EQUAL(&mask, wanted),
		   "the monitor may use %d PUs, not %d", CPU_COUNT(&mask), CPU_COUNT(wanted));
}

static void *
other(void *arg)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp barrier
	}
	pthread_barrier_wait(&met);
	pthread_barrier_wait(&met);
	return arg;
}

static void
only_itself(void)
{
	pthread_t thread;

	pthread_barrier_init(&met, NULL, 2);
	CHECK(pthread_create(&thread, NULL, other, NULL) == 0);
	pthread_barrier_wait(&met);
	CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
	crowd(&all);
	pthread_barrier_wait(&met);
	pthread_join(thread, NULL);
}

int
main(void)
{
	int status;

	CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
	if (CPU_COUNT(&all) < 2)
		return check_skip("it needs two PUs");
	for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	pid_t child = fork();
	if (child == 0) {
		only_itself();
		return check_end();
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0, "status %#x", status);
	CHECK(sched_setaffinity(0, sizeof one, &one) == 0); // there is no other thread yet
	crowd(&one);
	return check_end();
}
