// Each member has floating-point status flags of its own. It does not see flags that others raise while it waits, by
// SSE, by the x87 or by long double. It still has the flags that it raised itself, whichever kernel thread it goes on.
// The flag of another member does not spring a trap that it has enabled.
// threads: 1 2 8 64
// cflags: -lm
// limit: 30
#include "check.h"

#include <fenv.h>
#include <omp.h>
#include <sched.h>

static const int all = FE_ALL_EXCEPT;

/* Each member has another set of flags, and some have none. long double raises its flags by itself. */
static int
raise_mine(int member)
{
	volatile long double three = 3, tiny = 1e-4940L;
	int mine = (member & 1 ? FE_OVERFLOW : 0) | (member & 2 ? FE_UNDERFLOW : 0) | (member & 4 ? FE_DIVBYZERO : 0);

	feclearexcept(all);
	feraiseexcept(mine);
	if (member % 5 == 3)
		three = 1 / three;
	if (member % 7 == 6)
		tiny = tiny * tiny;
	CHECK((fetestexcept(all) & mine) == mine);
	return fetestexcept(all); /* more than that where inexact comes with an overflow */
}

#define STILL(what) CHECK(fetestexcept(all) == mine, what ": %x for %x", fetestexcept(all), mine)

static void
constructs(int member)
{
	int mine = raise_mine(member);
	omp_lock_t own, *lock;

#pragma omp barrier
	STILL("barrier");
#pragma omp critical
	sched_yield();
	STILL("critical");
#pragma omp single copyprivate(lock)
	{
		omp_init_lock(&own); /* of this team: others are here at the same time */
		lock = &own;
	}
	STILL("single");
#pragma omp for schedule(dynamic)
	for (int i = 0; i < 20; i++)
		STILL("in a dynamic loop");
	STILL("dynamic loop");
	omp_set_lock(lock);
	STILL("set_lock");
	omp_unset_lock(lock);
#pragma omp barrier
	STILL("second barrier");
#pragma omp taskwait
	STILL("taskwait");
}

static void
nested(int member)
{
	int mine = raise_mine(member);

#pragma omp parallel num_threads(3)
	constructs(member + 3 * omp_get_thread_num());
	if (omp_get_max_active_levels() > 1) {
		mine = raise_mine(member);
#pragma omp parallel num_threads(3)
		if (omp_get_thread_num())
			raise_mine(member + omp_get_thread_num());
		STILL("nested region");
	}
}

/* They give way only where the runtime takes their CPU from them. */
static void
spin(void)
{
	int size = omp_get_num_threads(), mine = raise_mine(omp_get_thread_num());
	static int arrived;

#pragma omp barrier
	for (int round = 1; round <= 3; round++) {
		__atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL);
		while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < size * round)
			;
		STILL("spinning");
	}
#pragma omp barrier
#pragma omp single
	arrived = 0;
	STILL("preemption");
}

/* Even members have raised the flags that odd ones trap. */
static void
traps(void)
{
	int odd = omp_get_thread_num() & 1, mine = 0;
	volatile long double number;

	feclearexcept(all);
	if (odd)
		feenableexcept(FE_OVERFLOW | FE_UNDERFLOW | FE_DIVBYZERO);
	else
		feraiseexcept(FE_OVERFLOW | FE_UNDERFLOW | FE_DIVBYZERO);
	mine = fetestexcept(all);
	for (int round = 0; round < 5; round++) {
#pragma omp barrier
		number = 1;
		number = number + odd;
		STILL("traps");
	}
	if (odd)
		fedisableexcept(all);
	feclearexcept(all);
}

int
main(void)
{
	omp_set_max_active_levels(2);
	for (int round = 0; round < 5; round++) {
#pragma omp parallel
		{
			constructs(omp_get_thread_num() + round);
			nested(omp_get_thread_num() + round);
		}
#pragma omp parallel num_threads(4)
		spin();
#pragma omp parallel
		traps();
	}
	return check_end();
}
