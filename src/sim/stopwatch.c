/* Stopwatch (floor: sim): see stopwatch.h. */
#include "sim/stopwatch.h"

#include <assert.h>
#include <stdlib.h>

#include "base/atomic_charged.h"
#include "platform/system_clock.h"
#include "platform/thread.h"
#include "sim/sim.h"

#define LONG_NS 20000	 /* a preemption takes at least two switches and some time of another thread */
#define OFTEN 4		 /* looks since the last read of the counter; beyond that, the read takes time of its own */
#define CHECK_NS 1000000 /* the two clocks are compared at least so often, because small losses add up */
#define NOTICED_NS 1000	 /* a smaller difference comes from reading two clocks one after the other */

struct fg_stopwatch fg_stopwatch;

#define WORDS 7
#define APART 24 /* words: they share no line, and have different offsets in their lines */

static struct {
	double ns_per_tick, ticks_per_ns;
	uint64_t long_ticks, check_ticks;
	uint64_t started, stopped;
	uint64_t own_ticks, own_done_ticks,
		stop_ticks; /* what the two ways to stop take, and what the last stop took */
	uint64_t looks_started, readings_started;
	double look_ticks, asking_ticks, border_ticks;
	uint64_t checked_ticks, checked_cpu; /* the two clocks when they were last read together */
	long switches;
	uint64_t granted; /* looks, from the start on */
	uint64_t patience_before;
	uint64_t until;		     /* a value of the counter: from then on others go first */
	uint64_t asked, looks_asked; /* the counter, and the looks so far, at the last such read */
	uint64_t readings;	     /* counted only where looks came often */
	double looks_per_tick;
	uint64_t words[WORDS * APART]; /* the calibration looks at them */
} watch = {.ns_per_tick = 1,
	   .ticks_per_ns = 1,
	   .long_ticks = UINT64_MAX,
	   .check_ticks = UINT64_MAX,
	   .granted = 1,
	   .patience_before = 1,
	   .looks_per_tick = 1};

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
		watch.checked_ticks = ticks();
		watch.checked_cpu = fg_system_clock(CLOCK_THREAD_CPUTIME_ID);
	} while (ticks() - watch.checked_ticks > watch.long_ticks && ++tries < CHECK_TRIES);
}

/* A read of the counter takes as long as some tasks. So it is read only after so many looks that others may have to go
 * first. The time of recent looks tells that number. It at most doubles from one read to the next, because looks may
 * become rare again. */
#define LATE_NS 200
#define PATIENCE_FIRST 16 /* looks */
#define PATIENCE_MAX 256

static void
be_patient(uint64_t looks)
{
	watch.granted += looks - fg_charge_state.patience;
	fg_charge_state.patience = looks;
}

uint64_t
fg_stopwatch_looks(void)
{
	return watch.granted - fg_charge_state.patience;
}

/* The answer is at least LATE_NS: the operations of others may be seen that much too late. */
static double
in_time(uint64_t left)
{
	double late = LATE_NS * watch.ticks_per_ns;
	return (double)left < late ? late : (double)left;
}

bool
fg_charge_is_over(void)
{
	uint64_t now = ticks(), looks = fg_stopwatch_looks();
	uint64_t left = now < watch.until ? watch.until - now : 0, most = 2 * watch.patience_before;
	if (most > PATIENCE_MAX)
		most = PATIENCE_MAX;
	watch.looks_per_tick = (double)(looks - watch.looks_asked) / (double)(now - watch.asked + 1);
	watch.readings += looks - watch.looks_asked >= OFTEN;
	watch.asked = now;
	watch.looks_asked = looks;
	double expected = in_time(left) * watch.looks_per_tick;
	watch.patience_before = expected<1 ? 1 : expected>(double) most ? most : (uint64_t)expected;
	be_patient(watch.patience_before);
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
	uint64_t took = watch.stopped - watch.started;
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
	return watch.stopped - watch.started;
}

static __attribute__((noinline)) uint64_t
lap_of_asking(const uint64_t *word)
{
	(void)word;
	fg_stopwatch_start();
	for (int i = 0; i < LOOKS; i++)
		fg_charge_is_over();
	fg_stopwatch_stop();
	return watch.stopped - watch.started;
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
	return watch.stopped - watch.started;
}

/* The time of one turn of a lap. The place of a word may matter, because other data lie at the same offset of other
 * pages. */
static double
measure_turn(uint64_t (*lap)(const uint64_t *word))
{
	double trials[TRIALS];
	for (int i = 0; i < TRIALS; i++)
		trials[i] = (double)lap(&watch.words[i % WORDS * APART]);
	qsort(trials, TRIALS, sizeof *trials, by_size);
	double turn = (trials[TRIALS / 2] - (double)watch.own_ticks) / LOOKS;
	return turn > 0 ? turn : 0;
}

static void
measure_own(void)
{
	watch.own_ticks = measure_empty(fg_stopwatch_stop);
	watch.own_done_ticks = measure_empty(fg_stopwatch_stop_done);
	for (int i = 0; i < WORDS; i++) {
		uintptr_t line = (uintptr_t)&watch.words[i * APART] / 64;
		fg_charge_state.rights[line % FG_CHARGE_RIGHTS] =
			(struct fg_charge_right){line, line, fg_charge_state.turn};
	}
	watch.look_ticks = measure_turn(lap_of_looks);
	watch.asking_ticks = measure_turn(lap_of_asking);
	watch.border_ticks = measure_turn(lap_of_borders);
	be_patient(watch.patience_before = 1);
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
	watch.ns_per_tick = (double)(now - from) / (double)(last - first);
	watch.ticks_per_ns = 1 / watch.ns_per_tick;
	watch.long_ticks = (uint64_t)(LONG_NS * watch.ticks_per_ns);
	watch.check_ticks = (uint64_t)(CHECK_NS * watch.ticks_per_ns);
	measure_own();
	watch.switches = switches_so_far();
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
	return ns > 0 ? (uint64_t)((double)ns * watch.ticks_per_ns) : 0;
}

void
fg_stopwatch_start(void)
{
	uint64_t now = ticks();
	if (now - watch.stopped > watch.long_ticks || now - watch.checked_ticks > watch.check_ticks)
		check_begin();
	fg_stopwatch.laps++;
	watch.looks_started = watch.looks_asked = fg_stopwatch_looks();
	watch.readings_started = watch.readings;
	uint64_t others = ticks_to_others();
	if (fg_charge_state.patience > PATIENCE_FIRST)
		be_patient(watch.patience_before = PATIENCE_FIRST);
	const struct fg_identity *self = fg_self();
	bool inside = self && fg_own_load_relaxed(&self->in_runtime);
	fg_charge_state.program = fg_charge_state.borders = 0;
	watch.started = watch.asked = ticks();
	watch.until = watch.started + others;
	fg_charge_state.left = inside ? 0 : watch.started;
}

void
fg_stopwatch_in_program(void)
{
	if (!fg_charge_state.left)
		fg_charge_state.left = ticks();
}

static void
end_program(void)
{
	if (fg_charge_state.left)
		fg_charge_state.program += watch.stopped - fg_charge_state.left;
	fg_charge_state.left = 0;
}

void
fg_stopwatch_stop(void)
{
	watch.stopped = ticks();
	watch.stop_ticks = watch.own_ticks;
	end_program();
}

void
fg_stopwatch_stop_done(void)
{
	watch.stopped = ticks_between();
	watch.stop_ticks = watch.own_done_ticks;
	end_program();
}

/* Takes off the time that passed while the thread did not run, because that time is not the program's. The clocks are
 * read together after every stretch outside of laps that was long enough for such a loss. So the loss was in this
 * lap. */
static uint64_t
check(uint64_t lap)
{
	uint64_t wall = (uint64_t)((double)(watch.stopped - watch.checked_ticks) * watch.ns_per_tick);
	uint64_t cpu = fg_system_clock(CLOCK_THREAD_CPUTIME_ID) - watch.checked_cpu;
	uint64_t lost = wall > cpu + NOTICED_NS ? wall - cpu : 0;
	if (lost > lap)
		lost = lap;
	if (lost) {
		long now = switches_so_far();
		fg_stopwatch.hit += now != watch.switches;
		watch.switches = now;
		fg_stopwatch.corrected += lost;
	}
	check_begin();
	return lap - lost;
}

/* Each border's read lies half in the program's code, half in the runtime's. */
static void
part(uint64_t lap)
{
	double program = (double)fg_charge_state.program - (double)fg_charge_state.borders * watch.border_ticks / 2;
	fg_stopwatch.program = program > 0 ? (uint64_t)(program * watch.ns_per_tick + 0.5) : 0;
	if (fg_stopwatch.program > lap)
		fg_stopwatch.program = lap;
}

uint64_t
fg_stopwatch_lap(void)
{
	double own = (double)watch.stop_ticks +
		     (double)(fg_stopwatch_looks() - watch.looks_started) * watch.look_ticks +
		     (double)(watch.readings - watch.readings_started) * watch.asking_ticks +
		     (double)fg_charge_state.borders * watch.border_ticks;
	assert(watch.stopped >= watch.started);
	double took = (double)(watch.stopped - watch.started);
	watch.started = watch.stopped;
	watch.looks_started = fg_stopwatch_looks();
	watch.readings_started = watch.readings;
	uint64_t lap = took <= own ? 0 : (uint64_t)((took - own) * watch.ns_per_tick + 0.5);
	lap = lap < LONG_NS ? lap : check(lap);
	part(lap);
	fg_charge_state.program = fg_charge_state.borders = 0;
	return lap;
}
