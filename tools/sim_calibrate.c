/* `forestgomp sim --calibrate`: measures the model's figures on this machine and prints a machine file. Each figure is
 * the lowest of some rounds, because other programs can only raise it. */
#include "sim_calibrate.h"
#include "sim.h"
#include "command.h"
#include "base/atomic.h"
#include "machine/machine.h"
#include "platform/context.h"
#include "platform/futex.h"
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 15
#define TURNS 2000

double
calibrate_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

void
calibrate_bind(unsigned cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof set, &set);
}

void
calibrate_keep_lowest(double *figure, double value)
{
	if (*figure < 0 || value < *figure)
		*figure = value;
}

/* Two threads on two PUs pass a cache line, or a futex, back and forth. */
static struct {
	_Alignas(128) struct fg_atomic_u32 ball;
	_Alignas(128) unsigned cpu;
	void (*other)(void);
	struct fg_atomic_u32 ready, caught;
	double woken; /* when the woken thread ran; that thread writes it */
} game;

/* The line crosses over once for each turn. The waiting thread loads without a pause, because the model charges pauses
 * apart. */
static void
play_line(uint32_t mine, uint32_t theirs)
{
	for (unsigned turn = 0; turn < TURNS; turn++) {
		while (fg_load_acquire(&game.ball) != mine)
			;
		fg_store_release(&game.ball, theirs);
	}
}

static void
play_line_back(void)
{
	play_line(2, 1);
}

#define NAPS 60
#define NAP_NS 300000 /* long enough for the other thread to sleep */

static void
sleep_for_ball(void)
{
	for (uint32_t nap = 1; nap <= NAPS; nap++) {
		while (fg_load_acquire(&game.ball) < nap)
			fg_futex_wait(&game.ball, nap - 1, 0);
		game.woken = calibrate_now();
		fg_store_release(&game.caught, nap);
	}
}

static void *
other_side(void *arg)
{
	calibrate_bind(game.cpu);
	fg_store_release(&game.ready, 1);
	while (fg_load_acquire(&game.ready) != 2)
		;
	game.other();
	return arg;
}

/* Returns false if no thread could be created. */
static bool
with_other(unsigned cpu, void (*other)(void), void (*play)(double *), double *figures)
{
	pthread_t thread;
	game.cpu = cpu;
	game.other = other;
	fg_store_relaxed(&game.ball, 0);
	fg_store_relaxed(&game.ready, 0);
	if (pthread_create(&thread, NULL, other_side, NULL) != 0)
		return false;
	while (fg_load_acquire(&game.ready) != 1)
		;
	fg_store_release(&game.ready, 2);
	play(figures);
	pthread_join(thread, NULL);
	return true;
}

static void
measure_line(double *figures)
{
	fg_store_release(&game.ball, 1);
	double start = calibrate_now();
	play_line(1, 2);
	calibrate_keep_lowest(&figures[0], (calibrate_now() - start) / TURNS / 2);
}

/* figures[0] is the waker's call; figures[1] lasts from its begin until the sleeper runs. */
static void
measure_wake(double *figures)
{
	const struct timespec nap_time = {0, NAP_NS};
	for (uint32_t nap = 1; nap <= NAPS; nap++) {
		nanosleep(&nap_time, NULL);
		double start = calibrate_now();
		fg_store_release(&game.ball, nap);
		fg_futex_wake(&game.ball, 1);
		calibrate_keep_lowest(&figures[0], calibrate_now() - start);
		while (fg_load_acquire(&game.caught) != nap)
			;
		calibrate_keep_lowest(&figures[1], game.woken - start);
	}
}

/* Two PUs of a core slow each other, and how much depends on the code. These are three kinds of code: a chain in which
 * each step waits for the step before, independent steps, and loads and stores. */
#define WORK_STEPS 2000
#define WORKS 3

static void
work_chain(void)
{
	uint64_t x = 1;
	for (int i = 0; i < WORK_STEPS; i++) {
		x = x * UINT64_C(0x9e3779b97f4a7c15) + 1;
		__asm__ volatile("" : "+r"(x));
	}
}

static void
work_abreast(void)
{
	uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;
	for (uint64_t i = 0; i < WORK_STEPS; i++) {
		a += i, b ^= i, c -= i, d += i, e ^= i, f -= i;
		__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
	}
}

static void
work_on_memory(void)
{
	static _Thread_local unsigned words[2048];
	for (int i = 0; i + 8 < 2048; i += 4) {
		words[i] += words[i + 5];
		words[i + 2] ^= words[i + 7];
	}
	__asm__ volatile("" : : "r"(words) : "memory");
}

static void (*const works[WORKS])(void) = {work_chain, work_abreast, work_on_memory};
static unsigned work;

/* Works until the ball arrives. */
static void
work_as_well(void)
{
	while (fg_load_acquire(&game.ball) != 1)
		works[work]();
}

static double
work_time(void)
{
	double best = -1;
	for (int i = 0; i < 20 * ROUNDS; i++) {
		double start = calibrate_now();
		works[work]();
		calibrate_keep_lowest(&best, calibrate_now() - start);
	}
	return best;
}

static void
measure_work(double *time)
{
	*time = work_time();
	fg_store_release(&game.ball, 1);
}

/* shares[] gets, for each kind of work, the part of its speed that a PU keeps beside another PU with the same work.
 * Returns the geometric mean. */
static double
measure_sharing(unsigned cpu, double *shares)
{
	double product = 1;
	for (work = 0; work < WORKS; work++) {
		double alone = work_time(), beside = alone;
		with_other(cpu, work_as_well, measure_work, &beside);
		shares[work] = beside > alone ? alone / beside : 1;
		product *= shares[work];
	}
	return cbrt(product);
}

static double started_at;

static void *
note_start(void *arg)
{
	started_at = calibrate_now();
	return arg;
}

static void
measure_start(double *figures)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_t thread;
		double start = calibrate_now();
		if (pthread_create(&thread, NULL, note_start, NULL) != 0)
			break;
		calibrate_keep_lowest(&figures[0], calibrate_now() - start);
		pthread_join(thread, NULL);
		calibrate_keep_lowest(&figures[1], started_at - start);
	}
}

static struct fg_context here, there;

static void
switch_back(void)
{
	for (;;)
		fg_context_switch(&there, &here, NULL, NULL);
}

static double
measure_switch(void)
{
	enum { STACK = 65536 };
	double best = -1;
	char *stack = aligned_alloc(64, STACK);
	fg_context_init();
	here.tls = fg_context_tls();
	fg_context_make(&there, stack + STACK, here.tls, switch_back);
	for (int i = 0; i < ROUNDS; i++) {
		double start = calibrate_now();
		for (int turn = 0; turn < TURNS; turn++)
			fg_context_switch(&here, &there, NULL, NULL);
		calibrate_keep_lowest(&best, (calibrate_now() - start) / TURNS / 2);
	}
	return best;
}

#define MEASURE_LOOP(operation)                                                                                        \
	({                                                                                                             \
		double best = -1;                                                                                      \
		for (int i = 0; i < ROUNDS; i++) {                                                                     \
			double start = calibrate_now();                                                                \
			for (int turn = 0; turn < TURNS; turn++)                                                       \
				operation;                                                                             \
			calibrate_keep_lowest(&best, (calibrate_now() - start) / TURNS);                               \
		}                                                                                                      \
		best;                                                                                                  \
	})

#define ONE_CORE 0.75 /* two PUs that keep less of their speed in independent steps than this are one core */

/* Tells whether PU 1 shares PU 0's core. A virtual machine of two PUs may hide that it does; then *hidden is true. */
static unsigned
sibling(const struct fg_machine *machine, double *mean, double *shares, bool *hidden)
{
	const struct fg_level *core = fg_level_above(machine->pus[0], FG_CORE);
	bool known = core && core->n_pus > 1;
	*hidden = false;
	if (!known && machine->n_pus != 2)
		return 0;
	calibrate_bind(machine->pus[0]->os_index);
	*mean = measure_sharing(machine->pus[1]->os_index, shares);
	*hidden = !known && shares[1] < ONE_CORE;
	return known || *hidden;
}

/* Measures one pair of PUs for each kind of innermost common level. */
static void
print_transfers(const struct fg_machine *machine, bool one_core)
{
	static const char *const words[FG_LEVEL_KINDS] = {
		[FG_MACHINE] = "machine", [FG_NUMA_NODE] = "node", [FG_PACKAGE] = "package", [FG_DIE] = "die",
		[FG_GROUP] = "group",	  [FG_L3] = "l3",	   [FG_L2] = "l2",	     [FG_CORE] = "core"};
	bool done[FG_LEVEL_KINDS] = {false};
	for (unsigned other = 1; other < machine->n_pus; other++) {
		const struct fg_level *common = fg_level_common(machine->pus[0], machine->pus[other]);
		enum fg_level_kind kind = FG_PU;
		while (kind > 0 && !fg_level_is(common, kind))
			kind--;
		kind = one_core ? FG_CORE : kind;
		if (done[kind] || !words[kind])
			continue;
		done[kind] = true;
		double best = -1;
		calibrate_bind(machine->pus[0]->os_index);
		for (int i = 0; i < ROUNDS; i++)
			with_other(machine->pus[other]->os_index, play_line_back, measure_line, &best);
		printf("transfer.%s = %.0f # measured: a word handed back and forth between PU 0 and PU %u, one way\n",
		       words[kind], best, machine->pus[other]->os_index);
		fflush(stdout);
	}
}

/* Returns the levels below a level, for example "package:2 core:4 pu:1", or NULL if its branches differ. If the level
 * itself is of further kinds, these come first, once each. */
static char *
synthetic(const struct fg_level *level)
{
	static const char *const words[FG_LEVEL_KINDS] = {
		[FG_NUMA_NODE] = "numa", [FG_PACKAGE] = "package", [FG_DIE] = "die",   [FG_GROUP] = "group",
		[FG_L3] = "l3",		 [FG_L2] = "l2",	   [FG_CORE] = "core", [FG_PU] = "pu"};
	char *inner = NULL, *text = NULL, also[128] = "";
	for (unsigned i = 0; i < level->n_children; i++) {
		char *child = synthetic(level->children[i]);
		if (!child || (inner && strcmp(inner, child)) || level->children[i]->kind != level->children[0]->kind) {
			free(child);
			free(inner);
			return NULL;
		}
		free(inner);
		inner = child;
	}
	for (unsigned kind = 0; kind < FG_LEVEL_KINDS; kind++)
		if (kind != level->kind && words[kind] && fg_level_is(level, kind) && level->n_children)
			sprintf(also + strlen(also), "%s:1 ", words[kind]);
	if (!level->n_children)
		return strdup("");
	int length = asprintf(&text, "%s%s:%u%s%s", also, words[level->children[0]->kind], level->n_children,
			      *inner ? " " : "", inner);
	free(inner);
	return length > 0 ? text : NULL;
}

int
sim_calibrate(void)
{
	struct fg_cpuset allowed;
	struct utsname system = {.nodename = "this machine"};
	fg_cpuset_affinity(&allowed);
	struct fg_machine *machine = fg_machine_load(NULL, &allowed);
	char *topology = synthetic(machine->root);
	bool hidden;
	double smt, shares[WORKS];
	unsigned other = sibling(machine, &smt, shares, &hidden);
	uname(&system);
	printf("name = %s\n", system.nodename);
	if (hidden)
		puts("topology = core:1 pu:2 # measured: the two slow each other as on one core, whatever the system "
		     "calls them");
	else if (topology)
		printf("topology = %s\n", topology);
	else
		puts("# Its branches differ; write it with `lstopo this.xml`:\nxml = this.xml");
	if (other)
		printf("smt = %.2f # measured: the mean of three kinds of code: steps that wait for each other %.2f, "
		       "that do not %.2f, memory %.2f\n",
		       smt, shares[0], shares[1], shares[2]);
	print_transfers(machine, hidden);
	struct fg_atomic_u32 word = {0};
	printf("pause = %.1f # measured\n", MEASURE_LOOP(fg_cpu_pause()));
	printf("fence = %.1f # measured\n", MEASURE_LOOP(fg_fence_seq_cst()));
	printf("locked = %.1f # measured\n", MEASURE_LOOP(fg_add_acq_rel(&word, 1)));
	printf("switch = %.1f # measured\n", measure_switch());
	if (machine->n_pus > 1) {
		double wake[2] = {-1, -1};
		with_other(machine->pus[1]->os_index, sleep_for_ball, measure_wake, wake);
		printf("wake.call = %.0f # measured\nwake.latency = %.0f # measured\n", wake[0],
		       wake[1] > wake[0] ? wake[1] - wake[0] : 0);
	}
	double start[2] = {-1, -1};
	measure_start(start);
	printf("create = %.0f # measured\nstart = %.0f # measured\n", start[0], start[1]);
	calibrate_memory(machine);
	fg_machine_free(machine);
	return 0;
}
