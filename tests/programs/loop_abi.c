// Worksharing entry points that compiled code seldom or no longer calls. A member asks again after the end; constructs
// with and without iterations have memory; chunks of every size lie near the ends of the number range. Also the old
// split forms and the OpenMP 2.5 locks.
// threads: 1 2 8
// stock: fails (chunk times step wraps round)
#include <limits.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

typedef unsigned long long ull;

bool GOMP_loop_start(long, long, long, long, long, long *, long *, uintptr_t *, void **);
bool GOMP_loop_static_next(long *, long *);
bool GOMP_loop_dynamic_next(long *, long *);
bool GOMP_loop_guided_next(long *, long *);
bool GOMP_loop_runtime_next(long *, long *);
bool GOMP_loop_ull_start(bool, ull, ull, ull, long, ull, ull *, ull *, uintptr_t *, void **);
bool GOMP_loop_ull_static_next(ull *, ull *);
bool GOMP_loop_ull_dynamic_next(ull *, ull *);
bool GOMP_loop_ull_guided_next(ull *, ull *);
bool GOMP_loop_ull_runtime_next(ull *, ull *);
void GOMP_loop_end(void);
void GOMP_loop_end_nowait(void);
unsigned GOMP_sections2_start(unsigned, uintptr_t *, void **);
unsigned GOMP_sections_next(void);
void GOMP_sections_end(void);
void GOMP_parallel_loop_guided_start(void (*)(void *), void *, unsigned, long, long, long, long);
void GOMP_parallel_sections_start(void (*)(void *), void *, unsigned, unsigned);
void GOMP_parallel_end(void);

static const struct schedule {
	long argument;
	bool (*next)(long *, long *);
	bool (*next_ull)(ull *, ull *);
} schedules[] = {
	{1, GOMP_loop_static_next, GOMP_loop_ull_static_next},
	{2, GOMP_loop_dynamic_next, GOMP_loop_ull_dynamic_next},
	{3, GOMP_loop_guided_next, GOMP_loop_ull_guided_next},
	{1 | 0x80000000l, GOMP_loop_static_next, GOMP_loop_ull_static_next},
	{2 | 0x80000000l, GOMP_loop_dynamic_next, GOMP_loop_ull_dynamic_next},
	{3 | 0x80000000l, GOMP_loop_guided_next, GOMP_loop_ull_guided_next},
	{0, GOMP_loop_runtime_next, GOMP_loop_ull_runtime_next},
	{4, GOMP_loop_runtime_next, GOMP_loop_ull_runtime_next},
	{0x80000000l, GOMP_loop_runtime_next, GOMP_loop_ull_runtime_next},
};

/* Iterations seen, as the sum of their distances from the first in steps, and their number. */
struct seen {
	ull count, sum;
};

static void
seen_chunk(struct seen *seen, ull from, ull to, ull first, ull step, bool up)
{
	/* Chunks are short here; the last one ends where the loop does. */
	for (ull i = from;; i += step) {
		__atomic_fetch_add(&seen->count, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&seen->sum, up ? (i - first) / step : (first - i) / -step, __ATOMIC_RELAXED);
		ull left = up ? to - i : i - to, one = up ? step : -step;
		if (left <= one)
			return;
	}
}

static void
loop_long(long start, long end, long step, const struct schedule *schedule, long chunk, ull trips)
{
	struct seen seen = {0};
#pragma omp parallel
	{
		long from, to;
		if (GOMP_loop_start(start, end, step, schedule->argument, chunk, &from, &to, NULL, NULL))
			do
				seen_chunk(&seen, from, to, start, step, step > 0);
			while (schedule->next(&from, &to));
		for (int again = 0; again < 1000; again++)
			CHECK(!schedule->next(&from, &to), "a chunk after the end");
		GOMP_loop_end();
	}
	CHECK(seen.count == trips && seen.sum == trips * (trips - 1) / 2,
	      "%ld to %ld by %ld, schedule %ld, chunk %ld: %llu, %llu", start, end, step, schedule->argument, chunk,
	      seen.count, seen.sum);
}

static void
loop_ull(bool up, ull start, ull end, ull step, const struct schedule *schedule, ull chunk, ull trips)
{
	struct seen seen = {0};
#pragma omp parallel
	{
		ull from, to;
		if (GOMP_loop_ull_start(up, start, end, step, schedule->argument, chunk, &from, &to, NULL, NULL))
			do
				seen_chunk(&seen, from, to, start, step, up);
			while (schedule->next_ull(&from, &to));
		GOMP_loop_end_nowait();
	}
	CHECK(seen.count == trips && seen.sum == trips * (trips - 1) / 2,
	      "%llu to %llu by %llu, schedule %ld, chunk %llu: %llu", start, end, step, schedule->argument, chunk,
	      seen.count);
}

static void
bounds(void)
{
	ull chunks[] = {1, 2, 7, 1000, LONG_MAX};
	for (unsigned s = 0; s < sizeof schedules / sizeof *schedules; s++)
		for (unsigned c = 0; c < sizeof chunks / sizeof *chunks; c++) {
			const struct schedule *schedule = &schedules[s];
			long chunk = chunks[c];
			loop_long(0, 100, 1, schedule, chunk, 100);
			loop_long(5, 5, 1, schedule, chunk, 0);
			loop_long(5, -5, 1, schedule, chunk, 0);
			loop_long(LONG_MAX, LONG_MIN, 1, schedule, chunk, 0);
			loop_long(LONG_MIN, LONG_MAX, -1, schedule, chunk, 0);
			loop_long(-7, 8, 3, schedule, chunk, 5);
			loop_long(7, -8, -3, schedule, chunk, 5);
			loop_long(LONG_MAX - 10, LONG_MAX, 3, schedule, chunk, 4);
			loop_long(LONG_MIN + 10, LONG_MIN, -3, schedule, chunk, 4);
			loop_long(LONG_MIN, LONG_MAX, LONG_MAX, schedule, chunk, 3);
			loop_ull(true, 0, 50, 1, schedule, chunk, 50);
			loop_ull(true, ULLONG_MAX, 0, 1, schedule, chunk, 0);
			loop_ull(false, 0, ULLONG_MAX, -1ull, schedule, chunk, 0);
			loop_ull(true, LONG_MAX - 5ull, LONG_MAX + 6ull, 3, schedule, chunk, 4);
			loop_ull(false, LONG_MAX + 6ull, LONG_MAX - 5ull, -3ull, schedule, chunk, 4);
			loop_ull(true, ULLONG_MAX - 10, ULLONG_MAX, 3, schedule, chunk, 4);
			loop_ull(false, 10, 0, -3ull, schedule, chunk, 4);
			loop_ull(true, 0, ULLONG_MAX, 1ull << 62, schedule, chunk, 4);
			loop_ull(false, ULLONG_MAX, 0, -(1ull << 61), schedule, chunk, 8);
		}
}

static void
memory(void)
{
	int threads = omp_get_max_threads();
	for (int round = 0; round < 40; round++) {
		int total = 0;
#pragma omp parallel reduction(+ : total)
		{
			void *words = (void *)(uintptr_t)(64 * sizeof(int));
			CHECK(GOMP_loop_start(0, 10, 1, 1, 0, NULL, NULL, NULL, &words),
			      "no iterations asked for: true");
			CHECK((uintptr_t)words % 8 == 0, "%p", words);
			__atomic_fetch_add((int *)words + 7, 1, __ATOMIC_RELAXED);
			GOMP_loop_end();

			words = (void *)(uintptr_t)sizeof(int);
			for (unsigned section = GOMP_sections2_start(20, NULL, &words); section;
			     section = GOMP_sections_next())
				__atomic_fetch_add((int *)words, section, __ATOMIC_RELAXED);
#pragma omp barrier
			total += *(int *)words;
			GOMP_sections_end();
		}
		CHECK(total == 210 * threads, "%d", total);
	}
}

static struct seen split;

static void
split_loop(void *data)
{
	long from, to;
	while (GOMP_loop_guided_next(&from, &to))
		seen_chunk(data, from, to, 3, 2, true);
	GOMP_loop_end_nowait();
}

static void
split_sections(void *data)
{
	for (unsigned section; (section = GOMP_sections_next());)
		__atomic_fetch_add(&((struct seen *)data)->sum, section, __ATOMIC_RELAXED);
	GOMP_loop_end_nowait();
}

static void
old_forms(void)
{
	GOMP_parallel_loop_guided_start(split_loop, &split, 0, 3, 1003, 2, 5);
	split_loop(&split);
	GOMP_parallel_end();
	CHECK(split.count == 500 && split.sum == 500 * 499 / 2, "%llu %llu", split.count, split.sum);
	split.sum = 0;
	GOMP_parallel_sections_start(split_sections, &split, 0, 30);
	split_sections(&split);
	GOMP_parallel_end();
	CHECK(split.sum == 30 * 31 / 2, "%llu", split.sum);
}

/* As old objects bind: a nest lock of 8 bytes that belongs to a thread, not to a task. */
struct old_nest_lock {
	int words[2];
};
void old_init(struct old_nest_lock *);
void old_set(struct old_nest_lock *);
void old_unset(struct old_nest_lock *);
int old_test(struct old_nest_lock *);
__asm__(".symver old_init, omp_init_nest_lock@OMP_1.0\n\t.symver old_set, omp_set_nest_lock@OMP_1.0\n\t"
	".symver old_unset, omp_unset_nest_lock@OMP_1.0\n\t.symver old_test, omp_test_nest_lock@OMP_1.0");

static void
locks(void)
{
	struct {
		struct old_nest_lock lock;
		ull guard;
	} old = {.guard = 0x5555555555555555};
	omp_nest_lock_t lock;
	int inside = 0, sum = 0, others = 0;
	old_init(&old.lock);
	omp_init_nest_lock(&lock);
#pragma omp parallel
	for (int i = 0; i < 300; i++) {
		old_set(&old.lock);
		old_set(&old.lock);
		CHECK(old_test(&old.lock) == 3, "depth");
#pragma omp task if (0) shared(old)
		{
			CHECK(old_test(&old.lock) == 4, "owned by the thread");
			old_unset(&old.lock);
		}
		CHECK(++inside == 1, "%d inside", inside);
		sum++;
		inside--;
		for (int depth = 0; depth < 3; depth++)
			old_unset(&old.lock);
		omp_set_nest_lock(&lock);
#pragma omp task if (0) shared(lock, others)
		others += omp_test_nest_lock(&lock) != 0;
		omp_unset_nest_lock(&lock);
	}
	CHECK(sum == 300 * omp_get_max_threads(), "%d", sum);
	CHECK(others == 0, "a task shared its creator's lock %d times", others);
	CHECK(old.guard == 0x5555555555555555, "more than 8 bytes written");
}

int
main(void)
{
	bounds();
	memory();
	old_forms();
	locks();
	return check_end();
}
