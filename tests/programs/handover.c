// A PU is taken from a process and given back, by another process: its threads leave that PU, one kernel thread carries
// all members, and the PU is used again once it is back. How soon all this happens is measured by bench/handover.py.
// cpus: 2
// threads: 2 4
// env: -
// env: FGOMP_SPIN=0
// limit: 60
// stock: fails (a thread of the kernel for each member)
#define _GNU_SOURCE
#include <omp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "../../bench/programs/handover.h"
#include "check.h"

#define ROUNDS 3
#define WINDOW_NS 10000000 /* of CPU time of the process: two threads that take turns have had some each */

enum kind { BARRIERS, COMPUTES, SLEEPS, TASKS, KINDS };

static void
wait_in_tasks(void)
{
#pragma omp single
	for (int i = 0; i < 8; i++) {
#pragma omp task
		check_burn(100);
	}
}

/* One region with barriers, for ever. */
static void
work(enum kind kind)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	omp_set_dynamic(0);
#pragma omp parallel
	for (int i = 0;; i++) {
		if (kind == COMPUTES)
			check_burn(3000);
		else if (kind == TASKS)
			wait_in_tasks();
		else if (kind == SLEEPS && i % omp_get_num_threads() == omp_get_thread_num())
			usleep(200);
		else if (kind == SLEEPS)
			check_burn(400);
#pragma omp barrier
	}
}

static long long ran_before[HANDOVER_THREADS];

/* Lets the process run for a while. Returns how many of its threads had a good part of that time, and sets the PU on
 * which one of these was last. */
static int
busy_threads(struct handover *watch, int *last_pu)
{
	long long all = 0;
	int busy = 0;
	char state;

	handover_set(watch->pid, watch, NULL);
	for (int i = 0; i < watch->n; i++)
		ran_before[i] = watch->threads[i].ran = handover_ran(&watch->threads[i]);
	while (all < WINDOW_NS) {
		usleep(1000);
		all = 0;
		for (int i = 0; i < watch->n; i++) {
			watch->threads[i].ran = handover_ran(&watch->threads[i]);
			all += watch->threads[i].ran - ran_before[i];
		}
	}
	for (int i = 0; i < watch->n; i++)
		if (watch->threads[i].ran - ran_before[i] > all / HANDOVER_BUSY) {
			*last_pu = handover_pu(&watch->threads[i], &state);
			busy++;
		}
	return busy;
}

/* Each of these things happens at last. */
static void
take_and_give(struct handover *watch, int pu, const cpu_set_t *without, const cpu_set_t *with)
{
	int last_pu = -1;

	while (busy_threads(watch, &last_pu) < 2)
		;
	handover_set(watch->pid, watch, without);
	while (busy_threads(watch, &last_pu) != 1 || last_pu == pu)
		; /* a thread that was busy may sleep now; then that PU is the last one where it was */
	handover_set(watch->pid, watch, with);
	do
		busy_threads(watch, &last_pu);
	while (last_pu != pu);
}

int
main(void)
{
	static struct handover watch;
	cpu_set_t without, with;
	int pu;

	if (!handover_pus(&pu, &without, &with))
		return check_skip("one PU");
	for (enum kind kind = 0; kind < KINDS; kind++) {
		pid_t child = fork();
		if (child == 0)
			work(kind);
		memset(&watch, 0, sizeof watch);
		watch.pid = child;
		for (int i = 0; i < ROUNDS; i++)
			take_and_give(&watch, pu, &without, &with);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	return check_end();
}
