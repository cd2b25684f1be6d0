/* The virtual threads of one run: contexts on this one kernel thread, the carrier that they see, and their switch
 * points. */
#include "internal.h"
#include "platform/context.h"
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define STACK_BASE ((char *)0x620000000000)
#define STACK_SIZE (256ul << 10)

struct model_run model_run;
static void *explorer_sp;
static char *tls_block, *tls_first;
static size_t tls_size;

/* The machine's part. It pushes the registers that the ABI keeps over a call, and changes stacks. */
void model_swap(void **from, void *to);
void model_first(void);
#if defined(__x86_64__)
__asm__(".globl model_swap\nmodel_swap:\n"
	"push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
	"mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
	"pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
	".globl model_first\nmodel_first:\nxor %ebp,%ebp\ncall *%rbx\nud2\n");
static void *
stack_make(char *top, void (*entry)(void))
{
	uintptr_t *frame = (uintptr_t *)top - 9; /* the stack is aligned where model_first calls */
	memset(frame, 0, 72);
	frame[4] = (uintptr_t)entry; /* rbx */
	frame[6] = (uintptr_t)model_first;
	return frame;
}
#elif defined(__aarch64__)
__asm__(".globl model_swap\nmodel_swap:\n"
	"sub sp,sp,#160\nstp x19,x20,[sp]\nstp x21,x22,[sp,#16]\nstp x23,x24,[sp,#32]\nstp x25,x26,[sp,#48]\n"
	"stp x27,x28,[sp,#64]\nstp x29,x30,[sp,#80]\nstp d8,d9,[sp,#96]\nstp d10,d11,[sp,#112]\n"
	"stp d12,d13,[sp,#128]\nstp d14,d15,[sp,#144]\nmov x9,sp\nstr x9,[x0]\nmov sp,x1\n"
	"ldp x19,x20,[sp]\nldp x21,x22,[sp,#16]\nldp x23,x24,[sp,#32]\nldp x25,x26,[sp,#48]\n"
	"ldp x27,x28,[sp,#64]\nldp x29,x30,[sp,#80]\nldp d8,d9,[sp,#96]\nldp d10,d11,[sp,#112]\n"
	"ldp d12,d13,[sp,#128]\nldp d14,d15,[sp,#144]\nadd sp,sp,#160\nret\n"
	".globl model_first\nmodel_first:\nblr x19\nbrk #1\n");
static void *
stack_make(char *top, void (*entry)(void))
{
	uintptr_t *frame = (uintptr_t *)top - 20;
	memset(frame, 0, 160);
	frame[0] = (uintptr_t)entry;
	frame[11] = (uintptr_t)model_first;
	return frame;
}
#endif

static int
tls_find(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size, (void)arg;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_TLS) {
			tls_block = info->dlpi_tls_data;
			tls_size = info->dlpi_phdr[i].p_memsz;
		}
	return 1; /* only the program itself, which comes first */
}

void
model_threads_init(void)
{
	dl_iterate_phdr(tls_find, NULL);
	tls_first = malloc(tls_size + 1);
	memcpy(tls_first, tls_block, tls_size);
	/* errno and the like: everything near the thread pointer belongs to the running thread */
	char *self = __builtin_thread_pointer();
	model_plain_tls(self - (64 << 10), self + (8 << 10));
	size_t size = MODEL_THREADS * STACK_SIZE;
	char *stacks = mmap(STACK_BASE, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (stacks != STACK_BASE)
		abort();
	for (unsigned i = 0; i < MODEL_THREADS; i++)
		mprotect(stacks + i * STACK_SIZE, 4096, PROT_NONE);
}

void *
model_tls_new(void)
{
	return memcpy(model_alloc(tls_size + 16), tls_first, tls_size);
}

void *
fg_context_tls(void)
{
	if (!model_current()->tls)
		model_current()->tls = model_tls_new();
	return model_current()->tls;
}

void
fg_context_init(void)
{
}

static void
callback_run(void)
{
	struct model_thread *t = model_current();
	void (*callback)(void *) = t->callback;
	t->callback = NULL;
	if (callback)
		callback(t->callback_arg);
}

static void
context_begin(void)
{
	register void (*entry)(void) __asm__(
#if defined(__x86_64__)
		"r12"
#else
		"x20"
#endif
	);
	void (*go)(void) = entry;
	callback_run();
	go();
}

/* The runtime's own switch, within a virtual kernel thread. The thread-local storage is an image that goes with the
 * context. */
void
fg_context_make(struct fg_context *context, void *top, void *tls, void (*entry)(void))
{
	uintptr_t *frame = context->sp = stack_make(top, context_begin);
#if defined(__x86_64__)
	frame[3] = (uintptr_t)entry; /* r12 */
#else
	frame[1] = (uintptr_t)entry; /* x20 */
#endif
	context->tls = tls ? tls : model_tls_new();
}

void
fg_context_switch(struct fg_context *from, const struct fg_context *to, void (*callback)(void *), void *arg)
{
	struct model_thread *t = model_current();
	t->callback = callback;
	t->callback_arg = arg;
	model_plain_touch(from, sizeof from->sp, true, __builtin_return_address(0));
	model_plain_touch(to, sizeof *to, false, __builtin_return_address(0));
	memcpy(fg_context_tls(), tls_block, tls_size);
	t->tls = to->tls;
	memcpy(tls_block, t->tls, tls_size);
	model_swap(&from->sp, to->sp);
	callback_run();
}

/* Goes to the virtual thread `next`, or back to the explorer if next == MODEL_THREADS. */
static void
thread_go(unsigned next)
{
	struct model_thread *from = model_current();
	memcpy(fg_context_tls(), tls_block, tls_size);
	if (next == MODEL_THREADS) {
		model_swap(&from->sp, explorer_sp);
		return;
	}
	struct model_thread *to = &model_run.thread[next];
	model_run.current = next;
	memcpy(tls_block, to->tls, tls_size);
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
static void
give_way(void)
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
	give_way();
}

static void
thread_main(void)
{
	callback_run();
	struct model_thread *t = model_current();
	if (t->body)
		t->body();
	else
		t->start(t->start_arg);
	t = model_current(); /* the virtual kernel thread on which the body ended */
	t->state = MODEL_DONE;
	model_trace("ends");
	give_way();
}

void
model_spawn(void (*body)(void), void (*start)(void *), void *arg)
{
	if (model_run.threads == MODEL_THREADS)
		model_fail("more than %d virtual threads", MODEL_THREADS);
	unsigned i = model_run.threads++;
	struct model_thread *t = &model_run.thread[i];
	*t = (struct model_thread){.body = body, .start = start, .start_arg = arg, .fresh = true, .scheduled = 0xff};
	t->sp = stack_make(STACK_BASE + (i + 1) * STACK_SIZE - 64 * i, thread_main);
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
	memcpy(tls_block, model_current()->tls, tls_size);
	model_swap(&explorer_sp, model_current()->sp);
	model_run.inside = false;
	memcpy(tls_block, tls_first, tls_size);
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
	model_swap(&explorer_sp, stack_make(stack + STACK_SIZE, aside_main));
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

/* The carrier as the code under test sees it. */
static int
carrier_start(void (*start)(void *), void *arg, const char *name)
{
	(void)name;
	if (model_run.inside)
		model_switch_point(&model_run, true);
	model_trace("starts thread %u", model_run.threads);
	model_spawn(NULL, start, arg);
	return 0;
}

static void
carrier_wait(struct fg_atomic_u32 *word, uint32_t value, uint64_t timeout_ns)
{
	if (!model_run.inside)
		model_fail("a wait outside the virtual threads");
	model_switch_point(word, true);
	struct model_thread *t = model_current();
	model_plain_alive(word, __builtin_return_address(0));
	uint32_t now = *(volatile uint32_t *)&word->v;
	if (now != value) {
		model_trace("does not sleep: %s is %#x, not %#x", model_name(word), now, value);
		return;
	}
	if (model_choose(2, 1, MODEL_ODDITY, NULL)) {
		model_trace("returns early from its sleep on %s", model_name(word));
		return;
	}
	model_trace("sleeps on %s == %#x", model_name(word), value);
	t->state = MODEL_BLOCKED;
	t->word = word;
	t->wait_turn = ++model_run.turn;
	t->on_deadline = timeout_ns != 0;
	t->timed_out = false;
	t->deadline = model_run.clock + timeout_ns;
	give_way();
	model_trace(t->timed_out ? "sleep times out" : "wakes up");
}

bool model_wake_dropped;

static void
carrier_wake(struct fg_atomic_u32 *word, unsigned count)
{
	if (!model_run.inside)
		return;
	model_switch_point(word, true);
	if (model_wake_dropped)
		return;
	unsigned woken = 0;
	while (woken < count) {
		struct model_thread *first = NULL;
		for (unsigned i = 0; i < model_run.threads; i++) {
			struct model_thread *t = &model_run.thread[i];
			if (t->state == MODEL_BLOCKED && t->word == word && (!first || t->wait_turn < first->wait_turn))
				first = t;
		}
		if (!first)
			break;
		first->state = MODEL_RUN;
		woken++;
	}
	model_trace("wakes %u on %s", woken, model_name(word));
}

static void
carrier_ran(struct fg_ran *ran)
{
	*ran = (struct fg_ran){0};
}

static uint64_t
carrier_now(void)
{
	return model_run.clock += 10;
}

const struct fg_carrier model_carrier = {.name = "model",
					 .start = carrier_start,
					 .wait = carrier_wait,
					 .wake = carrier_wake,
					 .pause = model_pause,
					 .now = carrier_now,
					 .ran = carrier_ran};
