// A PU is taken from a process and given back, from outside: when is the PU free of it, and when does it use the PU
// again? A process that includes this file looks at another one: at the CPU clocks of its threads and at the PU of
// each. It sets the masks of all of them, as `taskset -ap` does. (handover.c, and tests/programs/handover.c, which
// define _GNU_SOURCE first.)
#pragma once
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HANDOVER_THREADS 256
#define HANDOVER_LOOK 250e-6 /* seconds between two looks */
#define HANDOVER_BUSY 4	     /* a thread that has run for a fourth of that time is busy */

struct handover_thread {
	int tid, clock, stat; /* files */
	long long ran;	      /* ns */
};

struct handover {
	int pid, n;
	struct handover_thread threads[HANDOVER_THREADS];
	double last; /* time of the last look */
	/* Of the last look: busy threads, and those that ran on the PU that is taken and given. */
	int busy, there;
};

/* Seconds, since the masks were set. */
struct handover_times {
	double free;  /* a thread of the process was last on the PU that was taken */
	double alone; /* two threads were last busy: from now on, one kernel thread carries all members */
	double used;  /* a thread was busy on the PU that was given back */
};

static double
handover_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static int
handover_file(int pid, int tid, const char *name)
{
	char path[80];
	snprintf(path, sizeof path, "/proc/%d/task/%d/%s", pid, tid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static long long
handover_ran(const struct handover_thread *thread)
{
	char text[100] = "";
	return pread(thread->clock, text, sizeof text - 1, 0) > 0 ? atoll(text) : thread->ran;
}

/* The state of the thread (R: it runs or waits for a PU), and the PU where it was last. */
static int
handover_pu(const struct handover_thread *thread, char *state)
{
	char text[1000] = "", *at;
	*state = 'X';
	if (pread(thread->stat, text, sizeof text - 1, 0) <= 0 || !(at = strrchr(text, ')')))
		return -1;
	*state = at[2];
	for (int field = 2; at && field < 39; field++)
		at = strchr(at + 1, ' ');
	return at ? atoi(at + 1) : -1;
}

/* The runtime's own threads carry no members. Each look of the monitor would count as a busy thread. */
static int
handover_carries(int pid, int tid)
{
	char name[20] = "";
	int file = handover_file(pid, tid, "comm");
	int known = file >= 0 && read(file, name, sizeof name - 1) > 0;
	if (file >= 0)
		close(file);
	return !known || (strcmp(name, "fg-monitor\n") && strcmp(name, "fg-spawner\n"));
}

static void
handover_add(struct handover *watch, int tid)
{
	for (int i = 0; i < watch->n; i++)
		if (watch->threads[i].tid == tid)
			return;
	if (!handover_carries(watch->pid, tid))
		return;
	struct handover_thread thread = {tid, handover_file(watch->pid, tid, "schedstat"),
					 handover_file(watch->pid, tid, "stat"), 0};
	if (thread.clock < 0 || thread.stat < 0 || watch->n == HANDOVER_THREADS)
		return;
	thread.ran = handover_ran(&thread);
	watch->threads[watch->n++] = thread;
}

/* As taskset -ap does; NULL: changes no mask. A watcher notes the threads, too. */
static void
handover_set(int pid, struct handover *notes, const cpu_set_t *mask)
{
	char path[40];
	snprintf(path, sizeof path, "/proc/%d/task", pid);
	DIR *tasks = opendir(path);
	struct dirent *task;
	while (tasks && (task = readdir(tasks)))
		if (task->d_name[0] != '.') {
			if (mask)
				sched_setaffinity(atoi(task->d_name), sizeof *mask, mask);
			if (notes)
				handover_add(notes, atoi(task->d_name));
		}
	if (tasks)
		closedir(tasks);
}

static void
handover_look(struct handover *watch, int pu)
{
	double now, until = watch->last + HANDOVER_LOOK;
	while ((now = handover_now()) < until)
		usleep(20);
	double passed = now - watch->last;
	watch->last = now;
	watch->busy = watch->there = 0;
	for (int i = 0; i < watch->n; i++) {
		struct handover_thread *thread = &watch->threads[i];
		long long ran = handover_ran(thread), before = thread->ran;
		char state;
		thread->ran = ran;
		if (ran == before)
			continue;
		int busy = (double)(ran - before) * 1e-9 > passed / HANDOVER_BUSY;
		watch->busy += busy;
		watch->there += handover_pu(thread, &state) == pu && (busy || state == 'R');
	}
}

/* Takes a PU for so many seconds, and gives it back for as long. The caller should be bound to this PU. */
static struct handover_times
handover_once(struct handover *watch, int pu, const cpu_set_t *without, const cpu_set_t *with, double seconds)
{
	struct handover_times times = {0, 0, seconds};
	handover_set(watch->pid, watch, without);
	double begin = handover_now();
	for (watch->last = begin; watch->last < begin + seconds;) {
		handover_look(watch, pu);
		if (watch->there)
			times.free = watch->last - begin;
		if (watch->busy > 1)
			times.alone = watch->last - begin;
	}
	handover_set(watch->pid, watch, with);
	begin = handover_now();
	for (watch->last = begin; watch->last < begin + seconds;) {
		handover_look(watch, pu);
		if (watch->there && times.used == seconds)
			times.used = watch->last - begin;
	}
	return times;
}

/* Two PUs of the caller's mask. False: it has only one. */
static int
handover_pus(int *pu, cpu_set_t *without, cpu_set_t *with)
{
	cpu_set_t all;
	CPU_ZERO(without);
	CPU_ZERO(with);
	sched_getaffinity(0, sizeof all, &all);
	for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(with) < 2; cpu++)
		if (CPU_ISSET(cpu, &all)) {
			CPU_SET(cpu, with);
			if (CPU_COUNT(with) == 1)
				CPU_SET(cpu, without);
			*pu = cpu;
		}
	return CPU_COUNT(with) == 2;
}
