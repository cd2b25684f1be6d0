/* Which share of its accesses a thread makes to each array: samples that are walked, against an instrumented twin.
 *
 * Two threads run a kernel. A timer of each one's CPU time sends it a signal, and the handler copies registers and a
 * piece of the stack, as the library's does. Such timers come with the kernel's tick only, so the thread that walks may
 * send the same signal in between. Another thread walks from there, meanwhile. Each sample is walked by the
 * walker as it is, and by broken variants of it. The walker's own shares must be within 2 points of the twin's, and 95%
 * of its walks must close. Each variant must be off by more than 2 points in one kernel or more.
 *
 * Prints a table, then PASS or FAIL lines. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "kernels.h"
#include "samples/decoder.h"
#include "samples/lines.h"
#include "samples/walk.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define PERIOD_NS 2000000 /* of CPU time; the kernel's own tick may be slower */
#define PAUSE_NS 1000000
#define SLOTS 64
#define POINTS 2.0
#define CLOSED 95.0
#define SIGNAL (SIGRTMIN + 2)

enum variant { WHOLE, NO_LOADS, NO_DIVISION, SHORT, NO_STACK, VARIANTS };
/* More samples where rows and chains differ in length. */
static const unsigned factor[KERNELS] = {1, 1, 3, 4, 1, 1, 1};
static const char *const variant_names[VARIANTS] = {"the walker", "values of loads off", "division not emulated",
						    "walks of 16 instructions", "stack not copied"};

static struct {
	struct fg_registers slots[SLOTS];
	atomic_uint written, read;
	unsigned walked;
} rings[THREADS];

static struct {
	void (*pass)(unsigned thread);
	atomic_bool stop, ready[THREADS];
	unsigned wanted; /* samples of each thread */
	unsigned factor;
	bool sends; /* signals besides those of the timer */
} run;

static _Thread_local unsigned self;

/* What the walker found by one variant. */
static struct {
	double bytes[THREADS][ARRAYS];
	unsigned walks, closed;
} found[VARIANTS];

/* The broken variants: the linker leads the walker's own calls here. */
static struct {
	enum variant variant;
	unsigned decoded;
} broken;

uint64_t __real_fg_lines_load(uint64_t from, void *to, unsigned bytes);
uint64_t __wrap_fg_lines_load(uint64_t from, void *to, unsigned bytes);
const struct fg_instruction *__real_fg_decode(uint64_t ip, const unsigned char *code, unsigned available, bool *kept);
const struct fg_instruction *__wrap_fg_decode(uint64_t ip, const unsigned char *code, unsigned available, bool *kept);

uint64_t
__wrap_fg_lines_load(uint64_t from, void *to, unsigned bytes)
{
	uint64_t known = __real_fg_lines_load(from, to, bytes);
	return broken.variant == NO_LOADS ? 0 : known;
}

const struct fg_instruction *
__wrap_fg_decode(uint64_t ip, const unsigned char *code, unsigned available, bool *kept)
{
	static struct fg_instruction other;
	const struct fg_instruction *instruction = __real_fg_decode(ip, code, available, kept);
	if (broken.variant == SHORT && broken.decoded++ == 16)
		return NULL;
	if (broken.variant != NO_DIVISION || !instruction || instruction->operation != FG_DIVIDE)
		return instruction;
	other = *instruction;
	other.operation = FG_OTHER;
	return &other;
}

static void
vectors_copy(struct fg_registers *sample, const struct _libc_fpstate *state)
{
	const char *bytes = (const char *)state;
	uint32_t magic;
	uint64_t features = 0;
	memcpy(&magic, bytes + 464, sizeof magic);
	if (magic == 0x46505853)
		memcpy(&features, bytes + 512, sizeof features);
	for (unsigned i = 0; i < 16; i++) {
		memcpy(sample->vector[i], &state->_xmm[i], 16);
		if (features & 4)
			memcpy(sample->vector[i] + 16, bytes + 576 + 16 * i, 16);
		else
			memset(sample->vector[i] + 16, 0, 16);
	}
	sample->vector_bytes = 32;
}

/* From the red zone up, within the page of the stack pointer. */
static void
stack_copy(struct fg_registers *sample)
{
	uint64_t pointer = sample->general[4], page = pointer & -(uint64_t)4096;
	uint64_t from = pointer - page < 128 ? page : pointer - 128, bytes = page + 4096 - from;
	sample->stack_at = from;
	sample->stack_bytes = bytes < sizeof sample->stack ? (unsigned)bytes : sizeof sample->stack;
	memcpy(sample->stack, (const void *)from, sample->stack_bytes);
}

static void
on_timer(int signal, siginfo_t *info, void *signal_context)
{
	static const int order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
				      REG_R8,  REG_R9,	REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
	const ucontext_t *context = signal_context;
	unsigned slot = atomic_load_explicit(&rings[self].written, memory_order_relaxed);
	if (slot - atomic_load_explicit(&rings[self].read, memory_order_acquire) == SLOTS)
		return;
	struct fg_registers *sample = &rings[self].slots[slot % SLOTS];
	for (unsigned i = 0; i < 16; i++)
		sample->general[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
	sample->ip = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
	sample->flags = (uint64_t)context->uc_mcontext.gregs[REG_EFL];
	sample->fs_base = (uint64_t)(uintptr_t)__builtin_thread_pointer();
	vectors_copy(sample, context->uc_mcontext.fpregs);
	stack_copy(sample);
	atomic_store_explicit(&rings[self].written, slot + 1, memory_order_release);
}

static void *
worker_main(void *number)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGNAL};
	struct itimerspec period = {{0, PERIOD_NS}, {0, PERIOD_NS}};
	timer_t timer;
	self = (unsigned)(uintptr_t)number;
	event.sigev_notify_thread_id = (int)syscall(SYS_gettid);
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) || timer_settime(timer, 0, &period, NULL)) {
		perror("a timer of CPU time");
		exit(1);
	}
	atomic_store(&run.ready[self], true);
	while (!atomic_load(&run.stop))
		run.pass(self);
	atomic_store(&run.ready[self], false);
	timer_delete(timer);
	return NULL;
}

static void
count(unsigned thread, enum variant variant, const struct fg_walk *walk)
{
	found[variant].walks++;
	found[variant].closed += walk->closed;
	for (unsigned i = 0; i < walk->count; i++)
		for (unsigned j = 0; j < ARRAYS; j++)
			if (walk->accesses[i].address - (uintptr_t)arrays[j].begin < arrays[j].bytes &&
			    (walk->closed || variant != WHOLE))
				found[variant].bytes[thread][j] += walk->accesses[i].bytes;
}

static void
walk_all(unsigned thread, const struct fg_registers *sample)
{
	static struct fg_registers changed;
	static struct fg_walk walk;
	for (broken.variant = 0; broken.variant < VARIANTS; broken.variant++) {
		broken.decoded = 0;
		changed = *sample;
		if (broken.variant == NO_STACK)
			changed.stack_bytes = 0;
		fg_walk(&changed, &walk);
		if (walk.instructions || broken.variant != WHOLE)
			count(thread, broken.variant, &walk);
	}
	rings[thread].walked++;
}

/* Walks until each thread has enough samples. */
static void
rings_drain(const pthread_t threads[])
{
	for (bool enough = false; !enough;) {
		const struct timespec pause = {0, PAUSE_NS / 2 + random() % PAUSE_NS};
		nanosleep(&pause, NULL);
		enough = true;
		for (unsigned i = 0; i < THREADS; i++) {
			if (run.sends && atomic_load(&run.ready[i]))
				pthread_kill(threads[i], SIGNAL);
			unsigned read = atomic_load_explicit(&rings[i].read, memory_order_relaxed);
			for (; read != atomic_load_explicit(&rings[i].written, memory_order_acquire); read++) {
				walk_all(i, &rings[i].slots[read % SLOTS]);
				atomic_store_explicit(&rings[i].read, read + 1, memory_order_release);
			}
			enough &= rings[i].walked >= run.wanted * run.factor;
		}
	}
}

static void
sampled_run(const struct kernel *kernel)
{
	pthread_t threads[THREADS];
	memset(rings, 0, sizeof rings);
	memset(found, 0, sizeof found);
	run.pass = kernel->pass;
	atomic_store(&run.stop, false);
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, worker_main, (void *)i))
			exit(1);
	rings_drain(threads);
	atomic_store(&run.stop, true);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static double
share(double part, double whole)
{
	return whole ? 100 * part / whole : 0;
}

/* The largest difference of a share, over threads and arrays, in points. */
static double
error_of(enum variant variant)
{
	double most = 0;
	for (unsigned thread = 0; thread < THREADS; thread++) {
		double all_found = 0, all_counted = 0;
		for (unsigned i = 0; i < ARRAYS; i++) {
			all_found += found[variant].bytes[thread][i];
			all_counted += (double)counted[thread][i];
		}
		for (unsigned i = 0; i < ARRAYS; i++)
			most = fmax(most, fabs(share(found[variant].bytes[thread][i], all_found) -
					       share((double)counted[thread][i], all_counted)));
	}
	return most;
}

static double
closed_of(enum variant variant)
{
	return share(found[variant].closed, found[variant].walks);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		const struct kernel *kernels;
		bool v3;
	} builds[] = {{"-O0", kernels_O0, false}, {"-O2", kernels_O2, false}, {"-O3 v3", kernels_O3, true}};
	struct sigaction action = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO | SA_RESTART};
	const char *only = argc > 3 ? argv[3] : "";
	unsigned caught[VARIANTS] = {0}, bad = 0;
	if (argc < 3) {
		fprintf(stderr, "usage: %s SAMPLES timer|signals [KERNEL]\n", argv[0]);
		return 2;
	}
	run.wanted = (unsigned)atoi(argv[1]);
	run.sends = strcmp(argv[2], "signals") == 0;
	sigfillset(&action.sa_mask);
	sigaction(SIGNAL, &action, NULL);
	alarm(600);
	printf("| kernel | options | samples | closed | the walker |");
	for (unsigned variant = 1; variant < VARIANTS; variant++)
		printf(" %s |", variant_names[variant]);
	printf("\n|---|---|---|---|---|---|---|---|---|\n");
	for (unsigned kernel = 0; kernel < KERNELS; kernel++) {
		if (!strstr(kernels_O0[kernel].name, only))
			continue;
		data_make(kernel);
		for (unsigned thread = 0; thread < THREADS; thread++)
			kernels_counted[kernel].pass(thread);
		for (unsigned build = 0; build < sizeof builds / sizeof *builds; build++) {
			if (builds[build].v3 && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
						  __builtin_cpu_supports("fma")))
				continue;
			run.factor = factor[kernel];
			sampled_run(&builds[build].kernels[kernel]);
			printf("| %s | %s | %u | %.1f%% |", builds[build].kernels[kernel].name, builds[build].name,
			       found[WHOLE].walks, closed_of(WHOLE));
			for (unsigned variant = 0; variant < VARIANTS; variant++) {
				printf(" %.2f |", error_of(variant));
				caught[variant] += error_of(variant) > POINTS;
			}
			printf("\n");
			fflush(stdout);
			bad += error_of(WHOLE) > POINTS || closed_of(WHOLE) < CLOSED;
		}
		data_free();
	}
	if (bad)
		printf("FAIL shares: %u lines are off by more than %.0f points, or too few of their walks close\n", bad,
		       POINTS);
	else
		printf("PASS shares\n");
	for (unsigned variant = 1; variant < VARIANTS && !*only; variant++)
		if (caught[variant])
			printf("PASS broken: %s\n", variant_names[variant]);
		else
			printf("FAIL broken: %s: no kernel is off by more than %.0f points\n", variant_names[variant],
			       POINTS);
	return 0;
}
