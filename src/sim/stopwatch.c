/* Stopwatch (floor: sim): see stopwatch.h. */
#include "sim/stopwatch.h"

#include <stdlib.h>

#include "base/atomic_charged.h"
#include "platform/system_clock.h"
#include "platform/thread.h"
#include "sim/sim.h"

#define LONG_NS 20000	 /* a preemption takes at least two switches and some time of another thread */
#define OFTEN 4		 /* looks since the last read of the counter; beyond that, the read takes time of its own */
#define CHECK_NS 1000000 /* the two clocks are compared at least so often, because small losses add up */
#define NOTICED_NS 1000	 /* a smaller difference comes from reading two clocks one after the other */

uint64_t fg_stopwatch_hit, fg_stopwatch_corrected;
volatile uint64_t fg_stopwatch_laps;

static double ns_per_tick = 1, ticks_per_ns = 1;
static uint64_t long_ticks = UINT64_MAX, check_ticks = UINT64_MAX;
static uint64_t started, stopped;
static uint64_t own_ticks, own_done_ticks, stop_ticks; /* what the two ways to stop take, and what the last stop took */
static uint64_t looks_started, readings_started;
static double look_ticks, asking_ticks, border_ticks;
static uint64_t checked_ticks, checked_cpu; /* the two clocks when they were last read together */
static long switches;

uint64_t fg_charge_left, fg_charge_program, fg_charge_borders, fg_stopwatch_program;
bool fg_charge_searches;

static inline uint64_t
ticks(void)
{
	return fg_charge_ticks();
}

/* Reads the counter between the code before and the code after. Only one of the two is the program's, and a processor
 * begins with later code before it is done with earlier code. */
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

static long
switches_so_far(void)
{
	uint64_t blocked, forced;
	fg_thread_switches(&blocked, &forced);
	return (long)forced;
}

#define CHECK_TRIES 100 /* because under a debugger each system call may take that long */

/* Reads both clocks. It tries again if the thread was switched out between the two reads, or on the way back from the
 * kernel. */
static void
check_begin(void)
{
	unsigned tries = 0;
	do {
		checked_ticks = ticks();
		checked_cpu = fg_system_clock(CLOCK_THREAD_CPUTIME_ID);
	} while (ticks() - checked_ticks > long_ticks && ++tries < CHECK_TRIES);
}

/* A read of the counter takes as long as some tasks. So it is read only after so many looks that others may have to go
 * first. The time of recent looks tells that number. It at most doubles from one read to the next, because looks may
 * become rare again. */
#define LATE_NS 200
#define PATIENCE_FIRST 16 /* looks */
#define PATIENCE_MAX 256

uint64_t fg_charge_patience = 1;
static uint64_t granted = 1; /* looks, from the start on */
static uint64_t patience_before = 1;
static uint64_t until;		    /* a value of the counter: from then on others go first */
static uint64_t asked, looks_asked; /* the counter, and the looks so far, at the last such read */
static uint64_t readings;	    /* counted only where looks came often */
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

/* The answer is at least LATE_NS: the operations of others may be seen that much too late. */
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

/* The lap goes from one call of the simulation to the next, as in lines.c. */
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

static __attribute__((noinline)) uint64_t
lap_of_borders(const uint64_t *word)
{
	(void)word;
	fg_stopwatch_start();
	for (int i = 0; i < LOOKS; i += 2) {
		fg_charge_leave();
		fg_charge_enter();
	}
	fg_stopwatch_stop();
	return stopped - started;
}

#define WORDS 7
#define APART 24 /* words: they share no line, and have different offsets in their lines */
static uint64_t words[WORDS * APART];

/* The time of one turn of a lap. The place of a word may matter, because other data lie at the same offset of other
 * pages. */
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
	border_ticks = measure_turn(lap_of_borders);
	be_patient(patience_before = 1);
}

/* Reads the counter and the clock at the same time. Of some tries it takes the one during which the counter went on
 * least. If the thread were switched out during the try, the computed length of a tick would be wrong. */
static uint64_t
ticks_with_clock(uint64_t *clock)
{
	uint64_t middle = 0, least = UINT64_MAX;
	for (int i = 0; i < 32; i++) {
		uint64_t before = ticks(), now = fg_system_clock(CLOCK_MONOTONIC_RAW), took = ticks() - before;
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
	uint64_t from = 0, now = 0, first = ticks_with_clock(&from), last;
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

/* The ticks until others must go first, because the caller may then see what they do. */
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
	const struct fg_identity *self = fg_self();
	bool inside = self && fg_own_load_relaxed(&self->in_runtime);
	fg_charge_program = fg_charge_borders = 0;
	started = asked = ticks();
	until = started + others;
	fg_charge_left = inside ? 0 : started;
}

void
fg_stopwatch_in_program(void)
{
	if (!fg_charge_left)
		fg_charge_left = ticks();
}

static void
end_program(void)
{
	if (fg_charge_left)
		fg_charge_program += stopped - fg_charge_left;
	fg_charge_left = 0;
}

void
fg_stopwatch_stop(void)
{
	stopped = ticks();
	stop_ticks = own_ticks;
	end_program();
}

void
fg_stopwatch_stop_done(void)
{
	stopped = ticks_between();
	stop_ticks = own_done_ticks;
	end_program();
}

/* Takes off the time that passed while the thread did not run, because that time is not the program's. The clocks are
 * read together after every stretch outside of laps that was long enough for such a loss. So the loss was in this
 * lap. */
static uint64_t
check(uint64_t lap)
{
	uint64_t wall = (uint64_t)((double)(stopped - checked_ticks) * ns_per_tick);
	uint64_t cpu = fg_system_clock(CLOCK_THREAD_CPUTIME_ID) - checked_cpu;
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

/* Each border's read lies half in the program's code, half in the runtime's. */
static void
part(uint64_t lap)
{
	double program = (double)fg_charge_program - (double)fg_charge_borders * border_ticks / 2;
	fg_stopwatch_program = program > 0 ? (uint64_t)(program * ns_per_tick + 0.5) : 0;
	if (fg_stopwatch_program > lap)
		fg_stopwatch_program = lap;
}

uint64_t
fg_stopwatch_lap(void)
{
	double own = (double)stop_ticks + (double)(fg_stopwatch_looks() - looks_started) * look_ticks +
		     (double)(readings - readings_started) * asking_ticks + (double)fg_charge_borders * border_ticks;
	double took = (double)(stopped - started);
	started = stopped;
	looks_started = fg_stopwatch_looks();
	readings_started = readings;
	uint64_t lap = took <= own ? 0 : (uint64_t)((took - own) * ns_per_tick + 0.5);
	lap = lap < LONG_NS ? lap : check(lap);
	part(lap);
	fg_charge_program = fg_charge_borders = 0;
	return lap;
}
