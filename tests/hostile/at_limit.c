// From some moment on the system gives no more threads, or no more memory: the team is there, so its region ends as it
// should.
// finding: 14
// mode: threads lock
// mode: threads test_lock
// mode: threads nest_lock
// mode: threads critical
// mode: threads ordered
// mode: threads barrier
// mode: threads taskwait
// mode: threads yield
// mode: threads spin
// mode: threads cond
// mode: threads read
// mode: threads lock nested
// mode: threads yield nested
// mode: threads spin nested
// mode: memory lock
// mode: memory yield
// mode: memory spin
#include <errno.h>
#include <sched.h>
#include <sys/resource.h>

#include "crowd.h"

#define MEMBERS 8
#define NOBODY 54321 /* has no other process */
#define ROUNDS 200

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static struct crowd crowd;
static int sum, by_crowd, expected;

static void *
nothing(void *arg)
{
	return arg;
}

static void
lower(const char *what)
{
	struct rlimit limit = {0, 0};
	pthread_t thread;

	if (!strcmp(what, "threads")) {
		limit.rlim_cur = limit.rlim_max = 1;
		CHECK(setrlimit(RLIMIT_NPROC, &limit) == 0);
		CHECK(pthread_create(&thread, NULL, nothing, NULL) == EAGAIN);
		return;
	}
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	CHECK(file && fscanf(file, "%lu", &pages) == 1);
	fclose(file);
	limit.rlim_cur = limit.rlim_max = pages * (unsigned long)sysconf(_SC_PAGESIZE) + (256 << 10);
	CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}

static void
step(int me)
{
	sum++;
	if (me % 2)
		sched_yield();
}

static void
work(const char *kind, int me)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (!strcmp(kind, "lock")) {
			omp_set_lock(&lock);
			step(me);
			omp_unset_lock(&lock);
		} else if (!strcmp(kind, "test_lock")) {
			while (!omp_test_lock(&lock))
				sched_yield();
			step(0);
			omp_unset_lock(&lock);
		} else if (!strcmp(kind, "nest_lock")) {
			omp_set_nest_lock(&nest_lock);
			step(me);
			omp_unset_nest_lock(&nest_lock);
		} else if (!strcmp(kind, "critical")) {
#pragma omp critical
			step(me);
		} else {
			sched_yield();
#pragma omp atomic
			sum++;
		}
	}
}

static void
fib(int n, int *result)
{
	int a = 0, b = 0;

	if (n < 2) {
		*result = n;
		return;
	}
#pragma omp task shared(a)
	fib(n - 1, &a);
#pragma omp task shared(b)
	fib(n - 2, &b);
#pragma omp taskwait
	*result = a + b;
}

/* The work that all members do together. */
static void
member(const char *kind, int me, int size)
{
	if (!strcmp(kind, "spin") || !strcmp(kind, "cond") || !strcmp(kind, "read")) {
		if (size == crowd.size)
			CHECK(crowd_member(&crowd, me));
#pragma omp atomic
		by_crowd++;
	} else if (!strcmp(kind, "taskwait")) {
		int result = 0;

		fib(12, &result);
		CHECK(result == 144, "%d", result);
	} else if (!strcmp(kind, "ordered")) {
#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < ROUNDS; i++) {
#pragma omp ordered
			step(i);
		}
	} else if (!strcmp(kind, "barrier")) {
		for (int i = 0; i < ROUNDS; i++) {
#pragma omp barrier
#pragma omp single
			sum++;
		}
	} else {
		work(kind, me);
	}
}

static void
flat(const char *what, const char *kind)
{
#pragma omp parallel num_threads(MEMBERS)
	{
#pragma omp barrier
#pragma omp masked
		lower(what);
#pragma omp barrier
		member(kind, omp_get_thread_num(), MEMBERS);
	}
}

/* The inner teams exist before the limit comes. */
static void
nested(const char *what, const char *kind)
{
	atomic_int begun = 0, lowered = 0;

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		int outer = omp_get_thread_num();
#pragma omp parallel num_threads(MEMBERS / 2)
		{
			int me = outer * (MEMBERS / 2) + omp_get_thread_num();

			begun++;
			if (me == 0) {
				while (begun < MEMBERS)
					;
				lower(what);
				lowered = 1;
			}
			while (!lowered)
				;
			member(kind, me, MEMBERS);
		}
	}
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "threads", *kind = argc > 2 ? argv[2] : "lock";

	if (!strcmp(what, "threads") && getuid() == 0 && setuid(NOBODY))
		skip("setuid fails, and root has no such limit: %s", strerror(errno));
	setvbuf(stderr, NULL, _IONBF, 0);
	omp_init_lock(&lock);
	omp_init_nest_lock(&nest_lock);
	crowd_begin(&crowd, kind, MEMBERS);
	argc > 3 ? nested(what, kind) : flat(what, kind);
	crowd_end(&crowd);
	int alone = !strcmp(kind, "ordered") || !strcmp(kind, "barrier");
	expected = alone ? ROUNDS : !strcmp(kind, "taskwait") || by_crowd ? 0 : ROUNDS * MEMBERS;
	CHECK(sum == expected, "%d of %d", sum, expected);
	/* And the next region of the same size. */
#pragma omp parallel num_threads(argc > 3 ? 1 : MEMBERS)
	{
#pragma omp atomic
		sum++;
	}
	CHECK(sum == expected + (argc > 3 ? 1 : MEMBERS));
	return check_end();
}
