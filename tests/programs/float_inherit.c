// A member begins in the floating-point modes that its parent has at the fork: rounding, flush-to-zero and traps. It
// has the flags of its parent, as a new pthread does. Members of an outermost team keep their own flags from region to
// region, and take over the modes at each. Each thread of the program has members of its own.
// env: OMP_NUM_THREADS=2
// env: OMP_NUM_THREADS=8
// env: OMP_NUM_THREADS=8 FGOMP_THREADS=kernel
// cflags: -lm
#define _GNU_SOURCE
#include "check.h"

#include <fenv.h>
#include <omp.h>
#include <pthread.h>
#if defined(__x86_64__)
#include <immintrin.h>
#define FLUSH(on) _MM_SET_FLUSH_ZERO_MODE(on ? _MM_FLUSH_ZERO_ON : _MM_FLUSH_ZERO_OFF)
#define FLUSHES() (_MM_GET_FLUSH_ZERO_MODE() == _MM_FLUSH_ZERO_ON)
#else
#define FLUSH(on) (void)(on)
#define FLUSHES() flush
#endif

static const int all = FE_ALL_EXCEPT;
static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

static void
set_modes(int n)
{
	fesetround(modes[n % 4]);
	FLUSH(n & 4);
}

static void
has_modes(int n, const char *where)
{
	int mode = modes[n % 4], flush = n & 4 ? 1 : 0;

	CHECK(fegetround() == mode && FLUSHES() == flush, "%s: %x for %x, %d for %d", where, fegetround(), mode,
	      FLUSHES(), flush);
}

static void
set(int n)
{
	set_modes(n);
	feclearexcept(all);
	feraiseexcept((n & 1 ? FE_UNDERFLOW : 0) | (n & 2 ? FE_DIVBYZERO : 0));
}

/* A member's changes of its own modes and flags reach no other member. */
static void
nested(int n)
{
	int flags;

	set(n);
	flags = fetestexcept(all);
#pragma omp barrier
#pragma omp parallel num_threads(3)
	{
		has_modes(n, "nested");
		CHECK(fetestexcept(all) == flags, "flags %x for %x", fetestexcept(all), flags);
		set(n + omp_get_thread_num());
	}
	set_modes(n);
#pragma omp parallel num_threads(5)
	{
		has_modes(n, "after a member that has changed flush-to-zero");
		FLUSH(!(n & 4));
	}
#pragma omp barrier
}

static void
flat(void)
{
#pragma omp parallel
	set(omp_get_thread_num());
	for (int round = 0; round < 12; round++) {
		set_modes(round / 2);
#pragma omp parallel
		{
			int n = omp_get_thread_num(), flags = fetestexcept(all);

			has_modes(round / 2, "flat");
			set_modes(round + n);
			CHECK(!(flags & FE_UNDERFLOW) == !(n & 1) && !(flags & FE_DIVBYZERO) == !(n & 2),
			      "member %d: flags %x", n, flags);
		}
	}
}

/* Its members are new, and have nothing of the threads that were there before. */
static void *
thread(void *arg)
{
	int n = *(int *)arg;

	set(n);
#pragma omp parallel
	has_modes(n, "a new thread");
	flat();
	return NULL;
}

#if defined(__x86_64__)
/* A trap that the thread enables reaches the members. One of them has had such a flag before, and that springs
 * nothing. */
static void
traps(void)
{
#pragma omp parallel
	feraiseexcept(FE_DIVBYZERO);
	feclearexcept(all);
	feenableexcept(FE_DIVBYZERO);
#pragma omp parallel
	{
		volatile long double one = 1;
		CHECK(fegetexcept() == FE_DIVBYZERO, "traps %x", fegetexcept());
		one = one + one;
	}
	fedisableexcept(FE_DIVBYZERO);
#pragma omp parallel
	CHECK(fegetexcept() == 0, "traps %x", fegetexcept());
}
#else
static void
traps(void)
{
}
#endif

int
main(void)
{
	omp_set_max_active_levels(2);
	for (int n = 7; n > 3; n--) {
		pthread_t id;

		if (pthread_create(&id, NULL, thread, &n) || pthread_join(id, NULL))
			return 1;
	}
	thread(&(int){5});
	for (int round = 0; round < 20; round++) {
#pragma omp parallel
		nested(omp_get_thread_num() + round);
	}
	traps();
	return check_end();
}
