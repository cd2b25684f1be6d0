// A member begins in the floating-point environment that its parent has at the fork, as a new pthread does: rounding,
// flush-to-zero and flags. Those of an outermost team keep their own from region to region; each thread of the program
// has members of its own.
// env: OMP_NUM_THREADS=8
// env: OMP_NUM_THREADS=8 FGOMP_THREADS=kernel
// cflags: -lm
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
set(int n)
{
	fesetround(modes[n % 4]);
	FLUSH(n & 4);
	feclearexcept(all);
	feraiseexcept((n & 1 ? FE_UNDERFLOW : 0) | (n & 2 ? FE_DIVBYZERO : 0));
}

/* A member's changes of its own modes and flags reach no other member. */
static void
nested(int n)
{
	int mode = modes[n % 4], flush = n & 4 ? 1 : 0, flags;

	set(n);
	flags = fetestexcept(all);
#pragma omp barrier
#pragma omp parallel num_threads(3)
	{
		CHECK(fegetround() == mode && FLUSHES() == flush, "%x for %x, %d for %d", fegetround(), mode, FLUSHES(), flush);
		CHECK(fetestexcept(all) == flags, "flags %x for %x", fetestexcept(all), flags);
		set(n + omp_get_thread_num());
	}
#pragma omp barrier
}

static void
flat(void)
{
#pragma omp parallel
	set(omp_get_thread_num());
	for (int round = 0; round < 3; round++) {
#pragma omp parallel
		{
			int n = omp_get_thread_num(), flags = fetestexcept(all), flush = n & 4 ? 1 : 0;

			CHECK(fegetround() == modes[n % 4] && FLUSHES() == flush, "member %d: %x", n, fegetround());
			CHECK(!(flags & FE_UNDERFLOW) == !(n & 1) && !(flags & FE_DIVBYZERO) == !(n & 2), "member %d: flags %x", n, flags);
		}
	}
}

/* Its members are new, and have nothing of the threads that were there before. */
static void *
thread(void *arg)
{
	int n = *(int *)arg, flush = n & 4 ? 1 : 0;

	set(n);
#pragma omp parallel
	CHECK(fegetround() == modes[n % 4] && FLUSHES() == flush, "thread %d: %x", n, fegetround());
	flat();
	return NULL;
}

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
	return check_end();
}
