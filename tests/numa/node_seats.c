// Seats without a policy that places: each member is bound to its node, the thread of the program as well, and to a PU
// while the process is alone. Where others come, even a member that never waits is bound no longer. The program sees
// none of this, its children do not have it, and the thread of the program has no seat after its last region. A mask
// that the program sets stays.
// env: OMP_NUM_THREADS=16
// env: OMP_NUM_THREADS=16 FGOMP_SCHED=spread
// env: OMP_NUM_THREADS=16 OMP_PROC_BIND=false
// limit: 60
#define _GNU_SOURCE
#include <omp.h>
#include <signal.h>
#include <unistd.h>

#include "../programs/children.h"

enum { MEMBERS = 16, NODE = 4, OTHERS = 2 };

static cpu_set_t masks[MEMBERS];

static void
kernel_mask(cpu_set_t *mask)
{
	memset(mask, 0, sizeof *mask);
	CHECK(syscall(SYS_sched_getaffinity, 0, sizeof *mask, mask) > 0);
}

/* A region in which all members tell the masks that the kernel has for them. Returns how many have at most so many
 * PUs. */
static int
region(int most)
{
	int n = 0;
#pragma omp parallel reduction(+ : n)
	{
		for (int i = 0; i < 20; i++) {
#pragma omp barrier
		}
		int me = omp_get_thread_num();
		kernel_mask(&masks[me]);
		has_process_mask(me ? "a member" : "the root");
		n += CPU_COUNT(&masks[me]) <= most;
	}
	return n;
}

static void
wait_for(int most)
{
	while (region(most) < MEMBERS)
		usleep(1000);
}

/* With parts of n PUs each, every member is bound within one part, and each part has n members. */
static void
masks_are_in_parts_of(int n)
{
	int members[MEMBERS] = {0};
	for (int i = 0; i < MEMBERS; i++) {
		int part = -1;
		for (int cpu = 0; cpu < MEMBERS; cpu++)
			if (CPU_ISSET(cpu, &masks[i])) {
				CHECK(part < 0 || part == cpu / n, "member %d is in two parts", i);
				part = cpu / n;
			}
		members[part]++;
	}
	for (int part = 0; part < MEMBERS / n; part++)
		CHECK(members[part] == n, "part %d has %d members instead of %d", part, members[part], n);
}

/* Other programs want PUs. A member computes until it may be elsewhere, and meets no barrier meanwhile. */
static void
others_come(int least)
{
	pid_t others[OTHERS];
	for (int i = 0; i < OTHERS; i++)
		if ((others[i] = fork()) == 0) {
			CHECK(kernel_count() == MEMBERS, "a child has %d PUs", kernel_count());
			for (;;) {
			}
		}
#pragma omp parallel
	while (omp_get_thread_num() == 1 && kernel_count() < least) {
		for (volatile int i = 0; i < 1000; i++) {
		}
	}
	for (int i = 0; i < OTHERS; i++) {
		int status;
		kill(others[i], SIGKILL);
		CHECK(waitpid(others[i], &status, 0) == others[i] && WIFSIGNALED(status));
	}
}

/* The thread of the program sets a mask that has its PU, or not. */
static void
own_mask(void)
{
	cpu_set_t two;
	CPU_ZERO(&two);
	CPU_SET(0, &two);
	CPU_SET(1, &two);
	wait_for(NODE);
	for (int i = 0; i < 3; i++) {
#pragma omp parallel
		if (omp_get_thread_num() == 0 && i == 0)
			CHECK(sched_setaffinity(0, sizeof two, &two) == 0);
		usleep(300000);
		CHECK(kernel_count() == 2, "the root's own mask is lost, it has %d PUs", kernel_count());
	}
}

int
main(void)
{
	const char *policy = getenv("FGOMP_SCHED");
	children_start();
	if (getenv("OMP_PROC_BIND")) {
		for (int i = 0; i < 15; i++) {
			usleep(200000);
			CHECK(region(MEMBERS - 1) == 0, "a thread is bound");
		}
		return check_end();
	}
	if (!policy) {
		wait_for(NODE);
		masks_are_in_parts_of(NODE);
	}
	wait_for(1);
	masks_are_in_parts_of(1);
	children();
	wait_for(1);
	pid_t me = getpid();
#pragma omp parallel
	{
		cpu_set_t mask;
		CHECK(sched_getaffinity(me, sizeof mask, &mask) == 0 && CPU_COUNT(&mask) == MEMBERS,
		      "another thread sees the root's seat: %d PUs", CPU_COUNT(&mask));
	}
	if (!policy)
		others_come(NODE);
	while (kernel_count() < MEMBERS)
		usleep(1000);
	if (!policy)
		own_mask();
	return check_end();
}
