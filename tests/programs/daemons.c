// The daemon of a scheduler (daemons_module.c) has a thread of its own. It sleeps and takes locks, and the monitor goes
// on
// meanwhile: a member that waits for a PU gets it. It is called while nothing waits, ends with the runtime, and starts
// again. The child of a fork has one of its own. One that never returns is left behind at the end, with one line. The
// scheduler is told of each member that ends, and of PUs that idle.
// threads: 2
// library: daemons_module.c
// limit: 60
// stock: fails (it has no policies)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <dirent.h>
#include <omp.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static unsigned
threads_now(void)
{
	unsigned n = 0;
	DIR *tasks = opendir("/proc/self/task");
	while (tasks && readdir(tasks))
		n++;
	closedir(tasks);
	return n - 2;
}

/* More members than PUs, each waiting for the next without a call. */
static void
relay(void)
{
	volatile int turn = 0;
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(4)
	if (omp_get_ancestor_thread_num(1) == 0) {
		while (turn != omp_get_thread_num())
			;
		turn++;
	}
	CHECK(turn == 4);
}

static void *module;

static volatile unsigned *
word(const char *name)
{
	volatile unsigned *found = dlsym(module, name);
	CHECK(found, "%s", name);
	return found;
}

static void
in_child(void)
{
	volatile unsigned *calls = word("daemon_calls");
	unsigned before = *calls;
	usleep(100000);
	CHECK(*calls == before, "it runs in the child before any region");
	relay();
	CHECK_SOON(*calls >= before + 3);
	_exit(check_end());
}

static void
ends_well(void)
{
	volatile unsigned *calls = word("daemon_calls"), *several = word("daemon_several"),
			  *finished = word("daemon_finished"), *idles = word("daemon_idles");
	CHECK(*calls == 0, "no region so far");
	relay();
	CHECK(*finished == 2 + 2 * 4, "%u", *finished);
	CHECK_SOON(*calls >= 10, "%u", *calls);
	CHECK_SOON(*idles >= 1, "no PU was idle");
	CHECK(*several == 0, "two calls at once");
	int status = 1;
	pid_t child = fork();
	if (child == 0)
		in_child();
	CHECK(waitpid(child, &status, 0) == child && status == 0, "%d", status);
	CHECK(omp_pause_resource_all(omp_pause_hard) == 0);
	unsigned ended = *calls;
	CHECK(threads_now() == 1, "%u threads", threads_now());
	usleep(100000);
	CHECK(*calls == ended);
	relay();
	CHECK_SOON(*calls >= ended + 3);
}

static void
never_returns(void)
{
	volatile unsigned *stays = word("daemon_stays"), *calls = word("daemon_calls"),
			  *several = word("daemon_several");
	relay();
	CHECK_SOON(*calls >= 1);
	*stays = 1;
	CHECK_SOON(*stays >= 2);
	double begin = check_now();
	CHECK(omp_pause_resource_all(omp_pause_hard) == 0);
	CHECK(check_now() - begin > 0.9, "%g s", check_now() - begin);
	relay();
	unsigned before = *calls;
	*stays = 0;
	CHECK_SOON(*calls >= before + 3, "it does not go on");
	CHECK(*several == 0, "two calls at once");
	*stays = 1;
	CHECK_SOON(*stays >= 2); /* the program ends all the same */
}

int
main(int argc, char **argv)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
	CHECK(length > 0);
	path[length] = 0;
	strcpy(strrchr(path, '/'), "/daemons_module.so");
	if (argc == 1) {
		setenv("FGOMP_SCHED", path, 1);
		execl("/proc/self/exe", argv[0], "ends", NULL);
		return 1;
	}
	module = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
	CHECK(module);
	omp_set_max_active_levels(2);
	if (strcmp(argv[1], "ends") == 0)
		ends_well();
	else
		never_returns();
	if (strcmp(argv[1], "ends") == 0 && check_end() == 0)
		execl("/proc/self/exe", argv[0], "stays", NULL);
	return check_end();
}
