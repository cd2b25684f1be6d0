// Programs that share, one for each node of two PUs: each ends up on a node of its own, its root too, though all were
// made at once. When one ends, the others use its node again. The emulator is slow, so a moment at which all have
// settled is waited for.
// env: FGOMP_SHARE=on COPIES=2
// env: FGOMP_SHARE=on COPIES=3
// limit: 40
// again: a program that looks late uses the PUs of others, and the kernel moves threads late
#define _GNU_SOURCE
#include "../programs/check.h"
#include <dirent.h>
#include <fcntl.h>
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NODES = 4, NODE = 4, PER_NODE = 2, WORK = 4000, STEPS = 10, SAMPLES = 400, WINDOW_S = 10 };

struct copy {
	long on[NODES], root[NODES];
};
static struct copy *copies; // in memory that all share
static int n_copies;

static long
take(long *word)
{
	return __atomic_exchange_n(word, 0, __ATOMIC_RELAXED);
}

// A program: members compute, so that each has use for a PU, and tell where they are.
static void
work(struct copy *copy)
{
	for (;;) {
#pragma omp parallel
		for (int i = 0; i < STEPS; i++) {
			for (volatile int k = 0; k < WORK; k++) {
			}
			unsigned cpu, node;
			CHECK(getcpu(&cpu, &node) == 0 && node < NODES);
			__atomic_fetch_add(&copy->on[node], 1, __ATOMIC_RELAXED);
			if (omp_get_thread_num() == 0)
				__atomic_fetch_add(&copy->root[node], 1, __ATOMIC_RELAXED);
		}
	}
}

static double
now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// Waits until each copy from `first` on has told often enough, and returns what they told.
static void
window(int first, struct copy *told)
{
	memset(told, 0, sizeof *told * NODES);
	for (int k = first; k < n_copies; k++)
		for (int i = 0; i < NODES; i++) {
			take(&copies[k].on[i]);
			take(&copies[k].root[i]);
		}
	double end = now() + WINDOW_S;
	for (int k = first; k < n_copies && now() < end; k++)
		for (long sum = 0; sum < SAMPLES && now() < end;) {
			usleep(20000);
			sum = 0;
			for (int i = 0; i < NODES; i++)
				sum += __atomic_load_n(&copies[k].on[i], __ATOMIC_RELAXED);
		}
	for (int k = first; k < n_copies; k++)
		for (int i = 0; i < NODES; i++) {
			told[k].on[i] = take(&copies[k].on[i]);
			told[k].root[i] = take(&copies[k].root[i]);
		}
}

// The node on which most members of the copy were, and its root; -1: there is none. On a slow emulator looks come late,
// and a program that hears nothing of the others uses all nodes for a moment. Without sets a node of n has 1 / n.
static int
node_of(const struct copy *told)
{
	long sum = 0, roots = 0, of_ten = n_copies == 2 ? 7 : 5;
	int most = 0;
	for (int i = 0; i < NODES; i++) {
		sum += told->on[i];
		roots += told->root[i];
		if (told->on[i] > told->on[most])
			most = i;
	}
	return sum >= SAMPLES / 2 && told->on[most] * 10 >= sum * of_ten && told->root[most] * 2 >= roots ? most : -1;
}

static int
have_settled(const struct copy *told)
{
	int used = 0;
	for (int k = 0; k < n_copies; k++) {
		int node = node_of(&told[k]);
		if (node < 0 || used >> node & 1)
			return 0;
		used |= 1 << node;
	}
	return 1;
}

static void
show(const char *when, int first, const struct copy *told)
{
	printf("%s:", when);
	for (int k = first; k < n_copies; k++) {
		printf("%s", k > first ? " |" : "");
		for (int i = 0; i < NODES; i++)
			printf(" %ld", told[k].on[i]);
	}
	printf("\n");
}

// Where the kernel lets each thread of the copy run, and what the copies tell each other.
static void
show_why(pid_t pid)
{
	char path[64], line[200];
	snprintf(path, sizeof path, "/proc/%d/task", pid);
	DIR *tasks = opendir(path);
	for (struct dirent *task; tasks && (task = readdir(tasks));) {
		snprintf(line, sizeof line, "%s/%.20s/status", path, task->d_name);
		FILE *file = task->d_name[0] == '.' ? NULL : fopen(line, "r");
		while (file && fgets(line, sizeof line, file))
			if (strncmp(line, "Name:", 5) == 0 || strncmp(line, "Cpus_allowed_list:", 18) == 0)
				printf("thread %s: %s", task->d_name, line);
		if (file)
			fclose(file);
	}
	if (tasks)
		closedir(tasks);
	fflush(stdout);
	if (system("/programs/forestgomp top --once 2>&1") != 0)
		printf("forestgomp top told nothing\n");
}

static void
start(pid_t *pid)
{
	for (int k = 0; k < n_copies; k++)
		if ((pid[k] = fork()) == 0) {
			char number[8];
			snprintf(number, sizeof number, "%d", k);
			setenv("COPY", number, 1);
			execl("/proc/self/exe", "sets", NULL);
			_exit(1);
		}
}

static void *
shared(const char *folder, int flags)
{
	char path[200];
	snprintf(path, sizeof path, "%s/copies", folder);
	int file = open(path, flags, 0600);
	CHECK(file >= 0 && (!(flags & O_CREAT) || ftruncate(file, sizeof *copies * NODES) == 0));
	void *memory = mmap(NULL, sizeof *copies * NODES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	CHECK(memory != MAP_FAILED);
	close(file);
	return memory;
}

int
main(void)
{
	struct copy told[NODES];
	pid_t pid[NODES];
	setvbuf(stdout, NULL, _IOLBF, 0); /* what was seen is told, even if there is no end in time */
	if (getenv("COPY")) {
		copies = shared(getenv("XDG_RUNTIME_DIR"), O_RDWR);
		work(&copies[atoi(getenv("COPY"))]);
	}
	char folder[] = "/tmp/setsXXXXXX";
	CHECK(mkdtemp(folder) && mount("tmpfs", folder, "tmpfs", 0, "mode=0700") == 0 &&
	      setenv("XDG_RUNTIME_DIR", folder, 1) == 0);
	n_copies = atoi(getenv("COPIES"));
	copies = shared(folder, O_RDWR | O_CREAT);
	cpu_set_t cpus;
	CPU_ZERO(&cpus);
	for (int i = 0; i < n_copies * PER_NODE; i++)
		CPU_SET(i / PER_NODE * NODE + i % PER_NODE, &cpus);
	CHECK(sched_setaffinity(0, sizeof cpus, &cpus) == 0);
	start(pid);
	double late = now() + WINDOW_S;
	do {
		if (now() > late)
			show_why(pid[0]);
		window(0, told);
		show("at work", 0, told);
	} while (!have_settled(told));
	int left = node_of(&told[0]);
	CHECK(kill(pid[0], SIGKILL) == 0 && waitpid(pid[0], NULL, 0) == pid[0]);
	long others = 0;
	late = now() + WINDOW_S;
	while (others * 4 < SAMPLES) { // a quarter of a window: in it, two nodes are used alike
		others = 0;
		if (now() > late)
			show_why(pid[1]);
		window(1, told);
		show("one has ended", 1, told);
		for (int k = 1; k < n_copies; k++)
			others += told[k].on[left];
	}
	for (int k = 1; k < n_copies; k++)
		CHECK(kill(pid[k], SIGKILL) == 0 && waitpid(pid[k], NULL, 0) == pid[k]);
	CHECK(munmap(copies, sizeof *copies * NODES) == 0 && umount(folder) == 0 && rmdir(folder) == 0);
	return check_end();
}
