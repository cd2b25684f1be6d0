// system, posix_spawn, fork, std::thread and pthread_create from a member: the process's affinity and signal mask, not
// a worker's.
// threads: 1 2 8
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <string>
#include <sys/wait.h>
#include <thread>

#include "check.h"

extern char **environ;

/* The masks of the caller as words: CPUs, then signals that are blocked. */
static std::string
masks()
{
	cpu_set_t cpus;
	sigset_t signals;
	std::string text;

	CPU_ZERO(&cpus);
	sched_getaffinity(0, sizeof cpus, &cpus);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &cpus))
			text += std::to_string(i) + ",";
	text += "/";
	pthread_sigmask(SIG_SETMASK, NULL, &signals);
	for (int i = 1; i < NSIG; i++)
		if (i != 32 && i != 33 && sigismember(&signals, i) == 1)
			text += std::to_string(i) + ",";
	return text;
}

int
main(int argc, char **argv)
{
	if (argc == 3) {
		std::string want = argv[2], got = masks();

		/* The shell clears the signal mask. */
		if (!strcmp(argv[1], "system")) {
			want.resize(want.find('/'));
			got.resize(got.find('/'));
		}
		if (got != want)
			fprintf(stderr, "%s: %s, not %s\n", argv[1], got.c_str(), want.c_str());
		return got != want;
	}
	sigset_t some;
	sigemptyset(&some);
	sigaddset(&some, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &some, NULL);
	std::string mine = masks();
	char self[4096] = "";
	CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0);

#pragma omp parallel
	for (int i = 0; i < 2; i++) {
		int status = -1;
		pid_t child;
		char kind[] = "posix_spawn", *args[] = {self, kind, (char *)mine.c_str(), NULL};
		std::string command = std::string(self) + " system '" + mine + "'";

		CHECK(system(command.c_str()) == 0);
		CHECK(posix_spawn(&child, self, NULL, NULL, args, environ) == 0);
		CHECK(waitpid(child, &status, 0) == child && status == 0, "posix_spawn %x", status);
		child = fork();
		if (child == 0) {
			strcpy(kind, "fork");
			execv(self, args);
			_exit(1);
		}
		CHECK(waitpid(child, &status, 0) == child && status == 0, "fork %x", status);
#pragma omp barrier
		std::thread([&] {
			CHECK(masks() == mine, "std::thread %s, not %s", masks().c_str(), mine.c_str());
		}).join();
		pthread_t thread;
		std::string theirs;
		pthread_create(
			&thread, NULL,
			[](void *arg) -> void * {
				*(std::string *)arg = masks();
				return NULL;
			},
			&theirs);
		pthread_join(thread, NULL);
		CHECK(theirs == mine, "pthread_create %s, not %s", theirs.c_str(), mine.c_str());
#pragma omp barrier
	}
	CHECK(masks() == mine, "initial thread %s, not %s", masks().c_str(), mine.c_str());
	return check_end();
}
