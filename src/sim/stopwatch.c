/* Stopwatch (floor: sim): see stopwatch.h. */
#include "sim/stopwatch.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic_charged.h"
#include "sim/sim.h"

#define LONG_NS 20000	 /* no preemption is shorter than the switch there and back, with somebody running in between */
#define OFTEN 4		 /* looks without a reading of the counter between them: then it takes time of its own */
#define CHECK_NS 1000000 /* so often at least, for losses too short for this add up */
#define NOTICED_NS 1000	 /* less is the reading of two clocks one after the other */

uint64_t fg_stopwatch_hit, fg_stopwatch_corrected;
volatile uint64_t fg_stopwatch_laps;

static double ns_per_tick = 1, ticks_per_ns = 1;
static uint64_t long_ticks = UINT64_MAX, check_ticks = UINT64_MAX;
static uint64_t started, stopped;
static uint64_t own_ticks, own_done_ticks, stop_ticks; /* what the two ways to stop take, and the last one did */
static uint64_t looks_started, readings_started;
static double look_ticks, asking_ticks;
static uint64_t checked_ticks, checked_cpu; /* the two clocks when they were last read together */
static long switches;

static inline uint64_t
ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t now;
	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(now));
	return now;
#endif
}

/* Between what comes before and what comes after: a processor has begun with the one before it is done with the other, and only one of the two is the
 * program's. */
static inline uint64_t
ticks_between(void)
{
#if defined(__x86_64__)
	__builtin_ia32_lfence();
	uint64_t now = ticks();
	__builtin_ia32_lfence();
	return now;
#elif defined(__aarch64__)
	uint64_t now = ticks();
	__asm__ volatile("isb");
	return now;
#endif
}

/* By the system call: the C library's function may be the program's view of time. */
static uint64_t
read_clock(clockid_t clock)
{
	struct timespec now;
	syscall(SYS_clock_gettime, clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static long
switches_so_far(void)
{
	struct rusage usage;
	return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

#define CHECK_TRIES 100 /* under a debugger each call of the kernel may take that long */

/* Again, if the thread was switched out between the two, or on the way back from the kernel. */
static void
check_begin(void)
{
	unsigned tries = 0;
	do {
		checked_ticks = ticks();
		checked_cpu = read_clock(CLOCK_THREAD_CPUTIME_ID);
	} while (ticks() - checked_ticks > long_ticks && ++tries < CHECK_TRIES);
}

/* Reading the counter takes as long as some tasks: it is read when so many looks have gone by that others may be to go first, by what looks took
 * lately; but after no more than twice as many as before, for they may come seldom again. */
#define LATE_NS 200
#define PATIENCE_FIRST 16 /* looks */
#define PATIENCE_MAX 256

uint64_t fg_charge_patience = 1;
static uint64_t granted = 1; /* looks, in all */
static uint64_t patience_before = 1;
static uint64_t until;		    /* on the counter: others are to go first from then on */
static uint64_t asked, looks_asked; /* the counter, and the looks so far, when it was last read for that */
static uint64_t readings;	    /* where looks came often */
static double looks_per_tick = 1;

static void
be_patient(uint64_t looks)
{
	granted += looks - fg_charge_patience;
	fg_charge_patience = looks;
}

uint64_t
fg_stopwatch_looks(void)
{
	return granted - fg_charge_patience;
}

/* Not before what others do is seen so much too late. */
static double
in_time(uint64_t left)
{
	double late = LATE_NS * ticks_per_ns;
	return (double)left < late ? late : (double)left;
}

bool
fg_charge_is_over(void)
{
	uint64_t now = ticks(), looks = fg_stopwatch_looks();
	uint64_t left = now < until ? until - now : 0, most = 2 * patience_before;
	if (most > PATIENCE_MAX)
		most = PATIENCE_MAX;
	looks_per_tick = (double)(looks - looks_asked) / (double)(now - asked + 1);
	readings += looks - looks_asked >= OFTEN;
	asked = now;
	looks_asked = looks;
	double expected = in_time(left) * looks_per_tick;
	patience_before = expected<1 ? 1 : expected>(double) most ? most : (uint64_t)expected;
	be_patient(patience_before);
	return left == 0;
}

#define TRIALS 501
#define LOOKS 64

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* From one call of the simulation to the next, as in lines.c. */
static __attribute__((noinline)) uint64_t
empty_lap(void (*stop)(void))
{
	stop();
	uint64_t took = stopped - started;
	fg_stopwatch_start();
	return took;
}

static uint64_t
measure_empty(void (*stop)(void))
{
	double trials[TRIALS];
	empty_lap(stop);
	for (int i = 0; i < TRIALS; i++)
		trials[i] = (double)empty_lap(stop);
	qsort(trials, TRIALS, sizeof *trials, by_size);
	return (uint64_t)trials[TRIALS / 2];
}

static __attribute__((noinline)) uint64_t
lap_of_looks(const uint64_t *word)
{
	fg_stopwatch_start();
	be_patient(UINT64_MAX);
	for (int i = 0; i < LOOKS; i++)
		fg_charge(word, FG_CHARGE_READ);
	fg_stopwatch_stop();
	return stopped - started;
}

static __attribute__((noinline)) uint64_t
lap_of_asking(const uint64_t *word)
{
	(void)word;
	fg_stopwatch_start();
	for (int i = 0; i < LOOKS; i++)
		fg_charge_is_over();
	fg_stopwatch_stop();
	return stopped - started;
}

#define WORDS 7
#define APART 24 /* words: not in each other's lines, nor at the same offset in them */
static uint64_t words[WORDS * APART];

/* What each of the turns of such a lap takes; where words lie may matter, by what else is at the same place of other pages. */
static double
measure_turn(uint64_t (*lap)(const uint64_t *word))
{
	double trials[TRIALS];
	for (int i = 0; i < TRIALS; i++)
		trials[i] = (double)lap(&words[i % WORDS * APART]);
	qsort(trials, TRIALS, sizeof *trials, by_size);
	double turn = (trials[TRIALS / 2] - (double)own_ticks) / LOOKS;
	return turn > 0 ? turn : 0;
}

static void
measure_own(void)
{
	own_ticks = measure_empty(fg_stopwatch_stop);
	own_done_ticks = measure_empty(fg_stopwatch_stop_done);
	for (int i = 0; i < WORDS; i++) {
		uintptr_t line = (uintptr_t)&words[i * APART] / 64;
		fg_charge_rights[line % FG_CHARGE_RIGHTS] = (struct fg_charge_right){line, line, fg_charge_turn};
	}
	look_ticks = measure_turn(lap_of_looks);
	asking_ticks = measure_turn(lap_of_asking);
	be_patient(patience_before = 1);
}

/* The counter and the clock at the same time: of some tries the one between whose two readings of the counter least went by. Were the thread
 * switched out in between, the length of a tick would be anything. */
static uint64_t
ticks_with_clock(uint64_t *clock)
{
	uint64_t middle = 0, least = UINT64_MAX;
	for (int i = 0; i < 32; i++) {
		uint64_t before = ticks(), now = read_clock(CLOCK_MONOTONIC_RAW), took = ticks() - before;
		if (took < least) {
			least = took;
			middle = before + took / 2;
			*clock = now;
		}
	}
	return middle;
}

void
fg_stopwatch_init(void)
{
	uint64_t from, now, first = ticks_with_clock(&from), last;
	do
		last = ticks_with_clock(&now);
	while (now - from < 2000000);
	ns_per_tick = (double)(now - from) / (double)(last - first);
	ticks_per_ns = 1 / ns_per_tick;
	long_ticks = (uint64_t)(LONG_NS * ticks_per_ns);
	check_ticks = (uint64_t)(CHECK_NS * ticks_per_ns);
	measure_own();
	switches = switches_so_far();
	check_begin();
	fg_stopwatch_start();
}

/* The ticks until others are to go first: the caller may see what they do. */
static uint64_t
ticks_to_others(void)
{
	if (fg_sim.given || fg_sim.next == UINT64_MAX)
		return INT64_MAX;
	int64_t ns = (int64_t)(fg_sim.next + fg_sim.unseen + fg_sim_slack() - fg_sim.clock);
	return ns > 0 ? (uint64_t)((double)ns * ticks_per_ns) : 0;
}

void
fg_stopwatch_start(void)
{
	uint64_t now = ticks();
	if (now - stopped > long_ticks || now - checked_ticks > check_ticks)
		check_begin();
	fg_stopwatch_laps++;
	looks_started = looks_asked = fg_stopwatch_looks();
	readings_started = readings;
	uint64_t others = ticks_to_others();
	if (fg_charge_patience > PATIENCE_FIRST)
		be_patient(patience_before = PATIENCE_FIRST);
	started = asked = ticks();
	until = started + others;
}

void
fg_stopwatch_stop(void)
{
	stopped = ticks();
	stop_ticks = own_ticks;
}

void
fg_stopwatch_stop_done(void)
{
	stopped = ticks_between();
	stop_ticks = own_done_ticks;
}

/* Time that has passed and that the thread has not had is not the program's. The clocks were read together since the last stretch
 * that was long enough for such a loss, outside of laps, too: so it was in this lap. */
static uint64_t
check(uint64_t lap)
{
	uint64_t wall = (uint64_t)((double)(stopped - checked_ticks) * ns_per_tick);
	uint64_t cpu = read_clock(CLOCK_THREAD_CPUTIME_ID) - checked_cpu;
	uint64_t lost = wall > cpu + NOTICED_NS ? wall - cpu : 0;
	if (lost > lap)
		lost = lap;
	if (lost) {
		long now = switches_so_far();
		fg_stopwatch_hit += now != switches;
		switches = now;
		fg_stopwatch_corrected += lost;
	}
	check_begin();
	return lap - lost;
}

uint64_t
fg_stopwatch_lap(void)
{
	double own = (double)stop_ticks + (double)(fg_stopwatch_looks() - looks_started) * look_ticks +
		     (double)(readings - readings_started) * asking_ticks;
	double took = (double)(stopped - started);
	started = stopped;
	looks_started = fg_stopwatch_looks();
	readings_started = readings;
	if (took <= own)
		return 0;
	uint64_t lap = (uint64_t)((took - own) * ns_per_tick + 0.5);
	return lap < LONG_NS ? lap : check(lap);
}
