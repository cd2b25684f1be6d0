/* The virtual threads of one run, and their switch points: which of them goes on. */
#include "internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define STACK_BASE ((char *)0x620000000000)
#define STACK_SIZE (256ul << 10)

struct model_run model_run;
static void *explorer_sp;

void
model_threads_init(void)
{
	model_tls_init();
	size_t size = MODEL_THREADS * STACK_SIZE;
	char *stacks = mmap(STACK_BASE, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (stacks != STACK_BASE)
		abort();
	for (unsigned i = 0; i < MODEL_THREADS; i++)
		mprotect(stacks + i * STACK_SIZE, 4096, PROT_NONE);
}

/* Goes to the virtual thread `next`, or back to the explorer if next == MODEL_THREADS. */
static void
thread_go(unsigned next)
{
	struct model_thread *from = model_current();
	model_tls_out();
	if (next == MODEL_THREADS) {
		model_swap(&from->sp, explorer_sp);
		return;
	}
	struct model_thread *to = &model_run.thread[next];
	model_run.current = next;
	model_tls_in(to->tls);
	model_swap(&from->sp, to->sp);
}

void
model_abandon(void)
{
	void *lost;
	model_swap(&lost, explorer_sp);
	abort();
}

void
model_fail(const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	if (!model_run.failed)
		vsnprintf(model_run.failure, sizeof model_run.failure, format, ap);
	va_end(ap);
	model_run.failed = true;
	model_trace("FAILURE: %s", model_run.failure);
	model_abandon();
}

/* A spinning thread should not run before two things have happened. Some thread has written, and the threads that it
 * starved have had a turn. This is the fairness of the CHESS checker (Musuvathi and Qadeer, 2008). */
bool
model_spinning(unsigned thread)
{
	const struct model_thread *t = &model_run.thread[thread];
	if (!t->paused)
		return false;
	if (t->paused_writes == model_run.writes)
		return true;
	for (unsigned i = 0; i < model_run.threads; i++)
		if (t->starved >> i & 1 && model_run.thread[i].state == MODEL_RUN)
			return true;
	return false;
}

/* Lists the threads that may run. The first *ready of them do not spin. Within a group they come in the order of
 * their numbers from the current thread on. */
static unsigned
runnable(uint8_t *list, unsigned *ready)
{
	unsigned n = 0;
	for (unsigned spinning = 0; spinning < 2; spinning++) {
		for (unsigned i = 0; i < model_run.threads; i++) {
			unsigned k = (model_run.current + i) % model_run.threads;
			if (model_run.thread[k].state == MODEL_RUN && model_spinning(k) == spinning)
				list[n++] = k;
		}
		if (!spinning)
			*ready = n;
	}
	return n;
}

static void
clock_to_deadline(void)
{
	struct model_thread *first = NULL;
	for (unsigned i = 0; i < model_run.threads; i++) {
		struct model_thread *t = &model_run.thread[i];
		if (t->state == MODEL_BLOCKED && t->on_deadline && (!first || t->deadline < first->deadline))
			first = t;
	}
	if (!first || !model_run.scenario->timeouts) {
		char text[400] = "";
		size_t at = 0;
		for (unsigned i = 0; i < model_run.threads; i++)
			if (model_run.thread[i].state == MODEL_BLOCKED)
				at += snprintf(text + at, at < sizeof text ? sizeof text - at : 0,
					       " thread %u waits on %s;", i, model_name(model_run.thread[i].word));
		model_fail("deadlock (a lost wake-up?):%s", text);
	}
	if (first->deadline > model_run.clock)
		model_run.clock = first->deadline;
	first->state = MODEL_RUN;
	first->timed_out = true;
}

static bool
all_done(void)
{
	for (unsigned i = 0; i < model_run.own_threads; i++)
		if (model_run.thread[i].state != MODEL_DONE)
			return false;
	return true;
}

/* The running thread cannot or should not go on. The next one runs. */
void
model_give_way(void)
{
	uint8_t list[MODEL_THREADS];
	unsigned ready, n = runnable(list, &ready);
	if (all_done()) {
		thread_go(MODEL_THREADS);
		return;
	}
	if (n == 0) {
		clock_to_deadline();
		n = runnable(list, &ready);
	}
	unsigned choice;
	if (ready == 0) { /* all spin: the one that has waited longest */
		unsigned oldest = 0;
		for (unsigned i = 1; i < n; i++)
			if (model_run.thread[list[i]].paused_turn < model_run.thread[list[oldest]].paused_turn)
				oldest = i;
		choice = oldest;
	} else {
		choice = model_choose(n, ready, MODEL_PREEMPTION, list);
	}
	struct model_thread *to = &model_run.thread[list[choice]];
	to->paused = false;
	if (list[choice] != model_run.current)
		thread_go(list[choice]);
}

static void
step_count(void)
{
	unsigned limit = model_run.scenario->max_steps ? model_run.scenario->max_steps : 2000;
	if (++model_run.steps > limit)
		model_fail("livelock: %u operations and no end", limit);
	uint8_t self = 1 << model_run.current;
	for (unsigned i = 0; i < model_run.threads; i++) {
		model_run.thread[i].scheduled |= self;
		model_run.thread[i].starved &= ~self;
	}
}

void
model_switch_point(const void *address, bool write)
{
	step_count();
	struct model_thread *t = model_current();
	if (model_run.atomically)
		return;
	if (t->fresh) {
		t->fresh = false;
		return;
	}
	uint8_t list[MODEL_THREADS];
	unsigned ready, n = runnable(list, &ready);
	unsigned choice = model_choose_at(address, write, n, list);
	if (choice) {
		model_run.thread[list[choice]].paused = false;
		thread_go(list[choice]);
	}
}

void
model_atomically(bool begin)
{
	model_run.atomically = begin;
}

void
model_point(const char *what)
{
	if (!model_run.inside)
		return;
	model_switch_point(&model_run, true);
	model_trace("%s", what);
}

void
model_pause(void)
{
	if (!model_run.inside)
		return;
	step_count();
	struct model_thread *t = model_current();
	t->paused = true;
	t->starved |= ~t->scheduled & ~(1 << model_run.current);
	t->scheduled = 0;
	t->paused_writes = model_run.writes;
	t->paused_turn = ++model_run.turn;
	model_run.clock += model_run.pause_ns;
	model_trace("pause");
	model_choose_yield();
	model_give_way();
}

static void
thread_main(void)
{
	model_callback_run();
	struct model_thread *t = model_current();
	if (t->body)
		t->body();
	else
		t->start(t->start_arg);
	t = model_current(); /* the virtual kernel thread on which the body ended */
	t->state = MODEL_DONE;
	model_trace("ends");
	model_give_way();
}

void
model_spawn(void (*body)(void), void (*start)(void *), void *arg)
{
	if (model_run.threads == MODEL_THREADS)
		model_fail("more than %d virtual threads", MODEL_THREADS);
	unsigned i = model_run.threads++;
	struct model_thread *t = &model_run.thread[i];
	*t = (struct model_thread){.body = body, .start = start, .start_arg = arg, .fresh = true, .scheduled = 0xff};
	t->sp = model_stack_begin(STACK_BASE + (i + 1) * STACK_SIZE - 64 * i, thread_main);
	t->tls = model_tls_new();
	if (model_run.inside) {
		struct model_thread *self = model_current();
		self->now.seen[model_run.current] = ++self->now.hb[model_run.current];
		t->now = self->now;
	}
}

/* Runs the threads to their ends, or to a failure. */
void
model_threads_run(void)
{
	uint8_t list[MODEL_THREADS];
	unsigned ready;
	model_run.inside = true;
	model_run.current = 0;
	unsigned n = runnable(list, &ready);
	model_run.current = list[model_choose(n, n, MODEL_PREEMPTION, list)];
	model_tls_in(model_current()->tls);
	model_swap(&explorer_sp, model_current()->sp);
	model_run.inside = false;
	model_tls_in(NULL);
}

/* setup and check run on a stack of the explorer's, so that model_fail can leave them, too. */
static void (*aside)(void);
static void
aside_main(void)
{
	aside();
	model_abandon();
}

void
model_aside(void (*function)(void))
{
	static char *stack;
	if (!stack)
		stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	aside = function;
	model_swap(&explorer_sp, model_stack_begin(stack + STACK_SIZE, aside_main));
	model_tls_in(NULL); /* it may have failed with a lock held */
}

unsigned
model_self(void)
{
	return model_run.current;
}

void
model_pause_ns(uint64_t ns)
{
	model_run.pause_ns = ns;
}
