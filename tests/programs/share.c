// With FGOMP_SHARE=on two programs have one PU each of two, whatever their teams' sizes. A program that is killed,
// stopped or replaced by exec, or leaves its region, gives its PU to the other, and so does the child of a fork.
// cpus: 2
// env: -
// env: FGOMP_SPIN=0
// env: FGOMP_SCHED=affinity
// env: OMP_NUM_THREADS=5
// limit: 60
// stock: fails (shares nothing)
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"

enum { FIRST, SECOND, PROGRAMS };
enum { REGION, SERIAL, FORK, EXEC };

/* In a file that all programs map. */
static volatile struct shared {
	int order[PROGRAMS], obeyed[PROGRAMS];
	int threads[PROGRAMS]; /* kernel threads that carry the members, as last seen */
	long beat[PROGRAMS];
	pid_t child;
} *shared;

static char folder[] = "/tmp/fg-share-XXXXXX", path[64];

static void
map(const char *name)
{
	int file = open(name, O_RDWR | O_CREAT, 0600);

	CHECK(file >= 0 && ftruncate(file, 4096) == 0);
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	CHECK(shared != MAP_FAILED);
	close(file);
}

#define MOST 8

/* Meets barriers while the order is to stay in a region. */
static void
region(int me)
{
	static volatile long tid[MOST];
	int over = 0;

#pragma omp parallel
	while (!over) {
		for (int i = 0; i < 50; i++) {
#pragma omp barrier
		}
		tid[omp_get_thread_num()] = syscall(SYS_gettid);
#pragma omp barrier
#pragma omp master
		{
			int different = 0;

			for (int i = 0; i < omp_get_num_threads(); i++) {
				int seen = 0;

				for (int k = 0; k < i; k++)
					seen |= tid[k] == tid[i];
				different += !seen;
			}
			shared->threads[me] = different;
			shared->beat[me]++;
			over = shared->order[me] != REGION;
		}
#pragma omp barrier
	}
}

/* The child has a region, and the parent waits for ever. */
static void
fork_region(int me)
{
	pid_t child = fork();

	if (child == 0) {
		shared->order[me] = REGION;
		region(me);
		_exit(0);
	}
	shared->child = child;
	waitpid(child, NULL, 0);
	pause();
}

static int
program(const char *self, int me, const char *name)
{
	map(name);
	for (;;) {
		switch (shared->obeyed[me] = shared->order[me]) {
		case REGION:
			region(me);
			break;
		case SERIAL:
			usleep(1000);
			break;
		case FORK:
			fork_region(me);
			break;
		case EXEC:
			execl(self, self, "idle", (char *)NULL);
		}
	}
}

static pid_t
start(const char *self, int me)
{
	char number[2] = {(char)('0' + me), 0};

	shared->order[me] = REGION;
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(self, self, number, path, (char *)NULL);
		_exit(99);
	}
	return pid;
}

static void
end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Returns when both programs have been seen since, with so many kernel threads; 0: any. */
static void
wait_for(int first, int second)
{
	long beat[PROGRAMS] = {shared->beat[0], shared->beat[1]};

	while ((first && (shared->beat[0] < beat[0] + 2 || shared->threads[0] != first)) ||
	       (second && (shared->beat[1] < beat[1] + 2 || shared->threads[1] != second)))
		usleep(200);
}

static void
order(int me, int what)
{
	shared->order[me] = what;
	while (shared->obeyed[me] != what)
		usleep(200);
}

int
main(int argc, char **argv)
{
	if (argc > 2)
		return program(argv[0], argv[1][0] - '0', argv[2]);
	if (argc > 1)
		pause();
	CHECK(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/shared", folder);
	map(path);
	setenv("XDG_RUNTIME_DIR", folder, 1);
	setenv("FGOMP_SHARE", "on", 1);
	pid_t first = start(argv[0], FIRST);

	wait_for(2, 0);
	pid_t second = start(argv[0], SECOND);

	wait_for(1, 1);
	kill(second, SIGSTOP);
	wait_for(2, 0);
	kill(second, SIGCONT);
	wait_for(1, 1);
	order(SECOND, SERIAL);
	wait_for(2, 0);
	order(SECOND, REGION);
	wait_for(1, 1);
	end(second);
	wait_for(2, 0);
	second = start(argv[0], SECOND);
	wait_for(1, 1);
	order(SECOND, EXEC);
	wait_for(2, 0);
	end(second);
	second = start(argv[0], SECOND);
	wait_for(1, 1);
	order(SECOND, FORK);
	while (!shared->child)
		usleep(200);
	wait_for(1, 1);
	kill(shared->child, SIGKILL);
	wait_for(2, 0);
	end(second);
	end(first);
	unlink(path);
	snprintf(path, sizeof path, "%s/forestgomp-2", folder);
	CHECK(unlink(path) == 0);
	CHECK(rmdir(folder) == 0);
	return check_end();
}
