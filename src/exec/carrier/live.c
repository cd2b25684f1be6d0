/* The live carrier: kernel threads and futexes (floor: exec; called through fg_carrier: base/carrier.h tells where each
 * function may be called). It keeps nothing but the structures of threads that have started. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "base/carrier.h"
#include "exec/body/stack_overflow.h"
#include "exec/thread/identity.h"
#include "platform/clock.h"
#include "platform/fault.h"
#include "platform/futex.h"
#include "platform/pthread.h"
#include "platform/sandbox.h"
#include "platform/thread.h"

struct start {
	void (*start)(void *);
	void *arg;
	char name[16];
	struct start *next; /* the next one that was read */
};

/* Structures that their threads have read. The caller of the next start frees them. The thread itself must not,
 * because its first call of malloc or free makes glibc map an arena, which many workers never need. The list is only
 * taken as a whole, so the push has no ABA problem. */
static struct fg_atomic_ptr starts_read;

/* The frame of this function has the room for the handler of stack overflows. If each thread mapped its room, it would
 * wait for others, because the kernel changes an address space for one thread at a time. The room is not touched
 * before the handler needs it, so the compiler must not probe whether it fits. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wframe-larger-than="
#if defined __GNUC__ && !defined __clang__
__attribute__((optimize("no-stack-clash-protection")))
#endif
__attribute__((no_sanitize("address"))) static void *
thread_main(void *arg)
{
	_Alignas(64) char room[FG_FAULT_STACK];
	struct start *mine = arg, start = *mine;
	fg_stack_overflow_room(room);
	mine->next = fg_load_relaxed(&starts_read);
	while (!fg_cas_release(&starts_read, (void **)&mine->next, mine))
		;
	if (fg_sandbox_allows(FG_SANDBOX_NAMES))
		fg_pthread_name(start.name);
	start.start(start.arg);
	fg_stack_overflow_kernel_thread_end();
	return NULL;
}
#pragma GCC diagnostic pop

static void
starts_free(void)
{
	struct start *s = fg_exchange_acquire(&starts_read, NULL);
	while (s) {
		struct start *next = s->next;
		free(s);
		s = next;
	}
}

static int
live_start(void (*start)(void *), void *arg, const char *thread_name)
{
	assert(fg_lock_order_none("starts a kernel thread with"));
	assert(!fg_self() || !fg_load_stable(&fg_self()->in_runtime));
	starts_free();
	struct start *s = calloc(1, sizeof *s);
	if (!s)
		return ENOMEM;
	s->start = start;
	s->arg = arg;
	for (unsigned i = 0; i + 1 < sizeof s->name && thread_name[i]; i++)
		s->name[i] = thread_name[i];
	int error = fg_pthread_make(fg_identity_stack_size() + FG_FAULT_STACK, thread_main, s);
	if (error)
		free(s);
	return error;
}

static void
live_pause(void)
{
	fg_cpu_pause();
}

/* It makes the system call, because the library has a sched_yield of its own (libc/yield.c). */
static void
live_yield(void)
{
	if (fg_sandbox_allows(FG_SANDBOX_PLACES))
		fg_thread_yield();
}

/* The time is that of the thread's clock. The time of getrusage is as old as the kernel's last tick, some
 * milliseconds, and the missing time would look lost. */
static void
live_ran(struct fg_ran *ran)
{
	fg_thread_switches(&ran->blocked, &ran->forced);
	ran->ns = fg_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static uint64_t
live_now(void)
{
	return fg_clock_ns(CLOCK_MONOTONIC);
}

const struct fg_carrier fg_carrier_live = {
	.name = "live",
	.start = live_start,
	.wait = fg_futex_wait,
	.wake = fg_futex_wake,
	.pause = live_pause,
	.yield = live_yield,
	.now = live_now,
	.ran = live_ran,
};
