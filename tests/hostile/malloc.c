// Members call malloc while others make the runtime allocate: the runtime must not wait for a lock of the C library
// that a member holds which it has suspended itself. With few arenas, and with so many threads that they share them.
// finding: 3
// mode: OMP_NUM_THREADS=8 MALLOC_ARENA_MAX=1 taskgroup
// mode: OMP_NUM_THREADS=8 MALLOC_ARENA_MAX=1 tasks
// mode: OMP_NUM_THREADS=8 MALLOC_ARENA_MAX=1 foreign
// mode: OMP_NUM_THREADS=8 MALLOC_ARENA_MAX=1 nested
// mode: OMP_NUM_THREADS=8 MALLOC_ARENA_MAX=1 fork
// mode: OMP_NUM_THREADS=40 taskgroup
// mode: OMP_NUM_THREADS=40 fork
// limit: 20
#include <malloc.h>
#include <sys/wait.h>

#include "crowd.h"

#define BLOCK 3000 /* more than a thread keeps for itself */
#define SHELF 64

enum { ROUNDS = 4, BUFFERS = 300, EXCHANGES = 100000, GROUPS = 30000, TASKS = 10000, REGIONS = 4000 };

static const char *mode;
static _Atomic(char *) shelf[SHELF];
static atomic_int children;

/* Buffers that grow beside each other: realloc copies them with the arena's lock held. */
static void
grow(int n)
{
	for (int i = 0; i < n; i++) {
		char *buffer[4] = {NULL};

		for (size_t size = BLOCK; size < 250000; size += size / 2)
			for (int k = 0; k < 4; k++) {
				buffer[k] = realloc(buffer[k], size);
				buffer[k][size - 1] = (char)i;
			}
		for (int k = 0; k < 4; k++)
			free(buffer[k]);
	}
}

/* The same with buffers that others made: the lock is that of the arena where they came from. */
static void
exchange(int n)
{
	for (int i = 0; i < n; i++) {
		size_t size = (i % 20 + 1) * BLOCK;
		char *mine = realloc(atomic_exchange(&shelf[i % SHELF], NULL), size);

		mine[size - 1] = (char)i;
		free(atomic_exchange(&shelf[i % SHELF], mine));
	}
}

static void
use_taskgroup(int n)
{
	for (int i = 0; i < n; i++) {
#pragma omp taskgroup
		(void)0;
	}
}

static void
use_tasks(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
#pragma omp task shared(sum) depend(inout : sum)
		sum++;
		if (i % 50 == 49) {
#pragma omp taskwait
		}
	}
#pragma omp taskwait
	CHECK(sum == n, "%d", sum);
}

static void
use_nested(int n)
{
	for (int i = 0; i < n; i++) {
		int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
#pragma omp for schedule(dynamic) ordered
		for (int k = 0; k < 4; k++) {
#pragma omp ordered
			sum += k;
		}
		CHECK(sum == 6, "%d", sum);
	}
}

static void
have_child(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	CHECK(child > 0 && waitpid(child, NULL, 0) == child);
	children++;
}

static void
hold_locks(void)
{
	if (!strcmp(mode, "foreign"))
		exchange(EXCHANGES);
	else
		grow(BUFFERS);
	if (!strcmp(mode, "fork"))
		have_child();
}

static void
use_runtime(int members)
{
	if (!strcmp(mode, "tasks"))
		use_tasks(TASKS);
	else if (!strcmp(mode, "nested"))
		use_nested(REGIONS / members);
	else
		use_taskgroup(GROUPS);
}

int
main(int argc, char **argv)
{
	mode = argc > 1 ? argv[1] : "taskgroup";
	mallopt(M_TRIM_THRESHOLD, 512 << 20); /* it is no test of the kernel's memory */
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	omp_set_max_active_levels(2);
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel
		{
			int me = omp_get_thread_num(), size = omp_get_num_threads();

			if (me / 2 % 2 == round % 2) /* both kinds on each worker */
				hold_locks();
			else
				use_runtime(size);
		}
	}
	CHECK(strcmp(mode, "fork") || children == ROUNDS * omp_get_max_threads() / 2, "%d", children);
	return check_end();
}
