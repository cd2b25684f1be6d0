// A PU is taken from a process and given back, by another process: its threads leave that PU at once, one kernel thread
// carries all members, and the PU is used again once it is back. The limits are generous, because others may use the
// machine; bench/handover.py measures.
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

#define SECONDS 0.25
#define TRIES 12

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

int
main(void)
{
	static const char *const names[KINDS] = {"barriers", "computes", "sleeps", "tasks"};
	static struct handover watch;
	cpu_set_t without, with;
	int pu;

	if (!handover_pus(&pu, &without, &with))
		return check_skip("one PU");
	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct handover_times best = {SECONDS, SECONDS, SECONDS};
		pid_t child = fork();
		if (child == 0)
			work(kind);
		memset(&watch, 0, sizeof watch);
		watch.pid = child;
		usleep(100000);
		for (int i = 0; i < TRIES && (best.free > 0.05 || best.alone > 0.06 || best.used > 0.06); i++) {
			struct handover_times times = handover_once(&watch, pu, &without, &with, SECONDS);
			best.free = times.free < best.free ? times.free : best.free;
			best.alone = times.alone < best.alone ? times.alone : best.alone;
			best.used = times.used < best.used ? times.used : best.used;
		}
		CHECK(best.free <= 0.05, "%s: %.0f ms", names[kind], best.free * 1e3);
		CHECK(best.alone <= 0.06, "%s: %.0f ms", names[kind], best.alone * 1e3);
		CHECK(best.used <= 0.06, "%s: %.0f ms", names[kind], best.used * 1e3);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	return check_end();
}
