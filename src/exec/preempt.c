/* Preemption (floor: exec; design D6).
 *
 * The handler acts only on a thread in the program's code, standing on its own stack: not inside the runtime, not on an alternate
 * signal stack. It calls nothing of the C library that locks or allocates. It switches away inside the handler; the kernel's signal
 * frame stays on the suspended thread's stack, and its sigreturn runs on whatever worker resumes the thread: so the alternate
 * stack of that kernel thread is put into the frame before the return, or sigreturn would install the old worker's there.
 * SA_NODEFER, as the mask is the kernel thread's, not the thread's.
 *
 * A thread that computes has a slice; one that only spins (barriers and flags of the program's own) gives way as soon as that is
 * seen: two ticks met it in the same loop with the same registers, or one where others were seen to spin just now. Ticks come soon
 * after a spinning thread and where something new begins to wait, and are twice as far apart each time they find nothing, up to the
 * slice, and beyond it where threads give way by themselves: then a thread that does not is seen by the monitor.
 *
 * A tick takes some 20 us on virtual machines. One that is due when the one before has been served comes before the thread's next
 * instruction, and meets the same registers although that computes. So where nobody was seen to spin yet, two ticks tell only if they
 * are further apart than that.
 *
 * A program may use the same signal: what the runtime did not send goes to the handler that was there before, or that the program
 * has put in our place since. */
#define _GNU_SOURCE
#include "exec/preempt.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "exec/options.h"
#include "exec/spare.h"
#include "platform/locking_code.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* Signals that the runtime sends carry its address; all others are the program's own. */
static const char mark;
/* What the program had in the handler's place, newest first. Links are never changed or freed: a handler may be reading them. */
struct link {
	struct sigaction action;
	const struct link *older;
};
static struct fg_atomic_ptr links;
/* Links passed on to, one within the other: a handler of the program's may call the one that it found, which is ours. */
static __thread unsigned depth __attribute__((tls_model("initial-exec")));

static bool
ignored_by_default(int signal)
{
	return signal == SIGURG || signal == SIGCHLD || signal == SIGWINCH || signal == SIGCONT;
}

static void
default_action(int number)
{
	if (ignored_by_default(number))
		return;
	signal(number, SIG_DFL);
	raise(number);
}

static void
pass_on(int number, siginfo_t *info, void *context)
{
	const struct link *link = fg_load_acquire(&links);
	for (unsigned i = 0; link && i < depth; i++)
		link = link->older;
	if (!link)
		return;
	const struct sigaction *action = &link->action;
	depth++;
	if (action->sa_flags & SA_SIGINFO)
		action->sa_sigaction(number, info, context);
	else if (action->sa_handler == SIG_DFL)
		default_action(number);
	else if (action->sa_handler != SIG_IGN)
		action->sa_handler(number);
	depth--;
}

/* Instructions at which threads were seen to spin, (address << 8 | trust): whoever is met there spins as well, most likely, and one
 * look is enough. So often only; then it takes two again, the second soon. */
#define PLACES 16
#define TRUST 8
#define FAR_TIMES 4    /* the shortest period */
#define REST_SLICES 16 /* ticks are no further apart, where those that come find nothing to do */
static struct fg_atomic_u64 places[PLACES];

enum verdict { COMPUTES, MAY_SPIN, SPINS };

static struct fg_atomic_u64 *
place_of(uintptr_t pc)
{
	return &places[(pc ^ pc >> 4) % PLACES];
}

static bool
is_known(uintptr_t pc)
{
	return fg_load_relaxed(place_of(pc)) >> 8 == pc;
}

/* far: it has had time to go on since `before`. */
static enum verdict
judge(struct fg_interrupted before, struct fg_interrupted now, bool far)
{
	struct fg_atomic_u64 *place = place_of(now.pc);
	if (fg_interrupted_spins(before, now) && (far || is_known(now.pc) || is_known(before.pc))) {
		fg_store_relaxed(place, (uint64_t)now.pc << 8 | TRUST);
		return SPINS;
	}
	uint64_t known = fg_load_relaxed(place);
	if (known >> 8 != now.pc)
		return COMPUTES;
	if ((known & 0xff) == 0)
		return MAY_SPIN;
	fg_store_relaxed(place, known - 1);
	return SPINS;
}

/* In the C library it may hold a lock that the runtime is going to want (locking_code.h): it goes on for a moment, and will hold none at one
 * of the next looks. One that is there at each of them computes there, and holds none either. */
#define PUT_OFF_MAX 16

static bool
puts_off(struct fg_identity *self, uintptr_t pc)
{
	if (fg_is_locking_code(pc) && self->put_off < PUT_OFF_MAX) {
		self->put_off++;
		return true;
	}
	self->put_off = 0;
	return false;
}

/* A tick came: is it time to give way? The first look at a thread is half of a comparison: the other half comes as soon. */
static bool
tick_says(struct fg_identity *self, const void *context)
{
	struct fg_tick *tick = &self->worker->tick;
	struct fg_interrupted before = self->interrupted;
	bool stayed = tick->progress == fg_load_relaxed(&self->worker->progress);
	fg_tick_came(tick);
	self->interrupted = fg_interrupted_at(context);
	enum verdict verdict =
		judge(before, self->interrupted, stayed && tick->period_ns >= FAR_TIMES * fg_tick_brief());
	uint64_t slice = fg_exec_options.slice_ns;
	bool late = 2 * tick->period_ns > slice;
	bool over = verdict == COMPUTES && (self->put_off || (late && stayed));
	if (over && puts_off(self, self->interrupted.pc)) {
		fg_tick_shorten(tick);
		return false;
	}
	if (verdict != COMPUTES)
		fg_tick_shorten(tick);
	else if (late && stayed)
		fg_tick_limit(tick, slice);
	else if (late || stayed)
		fg_tick_lengthen(tick, late ? REST_SLICES * slice : slice);
	tick->progress = fg_load_relaxed(&self->worker->progress);
	return over || verdict == SPINS;
}

/* tick: else a whole slice is over, or it was seen to wait in a futex. */
static bool
gives_way(struct fg_identity *self, bool tick, const void *context)
{
	struct fg_worker *worker = self->worker;
	if (!tick) {
		if (worker->timer_on && worker->timer_ticks)
			fg_tick_limit(&worker->tick, fg_exec_options.slice_ns);
		return worker->carries &&
		       (fg_interrupted_in_futex(context) || !puts_off(self, fg_interrupted_at(context).pc));
	}
	if (worker->carries && fg_worker_others_wait(worker))
		return tick_says(self, context);
	fg_tick_lengthen(&worker->tick, REST_SLICES * fg_exec_options.slice_ns);
	return false;
}

/* A member in system() has SIGCHLD blocked, on its kernel thread: the frame keeps that for it, the next member shall not inherit it. */
static void
unblock_child(const ucontext_t *context)
{
	sigset_t child;
	if (sigismember(&context->uc_sigmask, SIGCHLD) != 1 || fg_spare_masks(SIGCHLD))
		return;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	pthread_sigmask(SIG_UNBLOCK, &child, NULL);
}

static void
on_tick(int signal, siginfo_t *info, void *arg)
{
	const bool tick = info->si_code == POLL_IN && fg_tick_known(info->si_fd);
	if (!tick && (info->si_value.sival_ptr != &mark || (info->si_code != SI_TIMER && info->si_code != SI_QUEUE))) {
		pass_on(signal, info, arg);
		return;
	}
	struct fg_identity *self = fg_self();
	if (!self || fg_own_load_relaxed(&self->in_runtime))
		return;
	int saved_errno = errno;
	stack_t stack;
	fg_own_store_relaxed(&self->in_runtime, 1);
	fg_signal_fence();
	/* Only now: an entry into the runtime like any other (spare.c). */
	if (fg_spare_here(self) && gives_way(self, tick, arg) && sigaltstack(NULL, &stack) == 0 &&
	    !(stack.ss_flags & SS_ONSTACK)) {
		ucontext_t *context = arg;
		unblock_child(context);
		fg_worker_preempt(self);
		if (sigaltstack(NULL, &stack) == 0)
			context->uc_stack = stack;
	}
	fg_leave(self);
	errno = saved_errno;
}

/* A handler that the program puts back is the link that it was. */
static const struct link *
link_for(const struct sigaction *action)
{
	for (const struct link *link = fg_load_relaxed(&links); link; link = link->older)
		if (link->action.sa_sigaction == action->sa_sigaction && link->action.sa_flags == action->sa_flags)
			return link;
	struct link *link = malloc(sizeof *link);
	if (link)
		*link = (struct link){*action, fg_load_relaxed(&links)};
	return link;
}

void
fg_preempt_install(void)
{
	struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER}, found;
	if (sigaction(fg_exec_options.signal, NULL, &found) || found.sa_sigaction == on_tick)
		return;
	fg_locking_code_find();
	const struct link *link = link_for(&found);
	if (!link)
		return;
	fg_store_release(&links, (void *)link);
	sigemptyset(&action.sa_mask);
	sigaction(fg_exec_options.signal, &action, NULL);
}

static void
timer_drop(struct fg_worker *worker)
{
	if (worker->timer_tid && worker->timer_ticks)
		fg_tick_close(&worker->tick);
	else if (worker->timer_tid)
		syscall(SYS_timer_delete, worker->timer);
	worker->timer_tid = 0;
	worker->timer_on = false;
}

static bool
timer_make(struct fg_worker *worker)
{
	if (worker->timer_tid == worker->tid)
		return true;
	timer_drop(worker);
	worker->timer_ticks = fg_tick_open(&worker->tick, worker->tid);
	if (worker->timer_ticks) {
		worker->timer_tid = worker->tid;
		return true;
	}
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = fg_exec_options.signal};
	event.sigev_notify_thread_id = worker->tid;
	event.sigev_value.sival_ptr = (void *)&mark;
	/* The clock of another thread of the process, as the kernel encodes it: clock_getcpuclockid(3) has the same for processes. */
	clockid_t clock = (clockid_t)((~(unsigned)worker->tid << 3) | 6);
	worker->timer_tid = syscall(SYS_timer_create, clock, &event, &worker->timer) == 0 ? worker->tid : 0;
	return worker->timer_tid != 0;
}

static bool
timer_set(struct fg_worker *worker, bool on)
{
	if (worker->timer_ticks)
		return fg_tick_run(&worker->tick, on);
	uint64_t ns = on ? fg_exec_options.slice_ns : 0;
	struct itimerspec spec = {{(time_t)(ns / 1000000000), (long)(ns % 1000000000)},
				  {(time_t)(ns / 1000000000), (long)(ns % 1000000000)}};
	return syscall(SYS_timer_settime, worker->timer, 0, &spec, NULL) == 0;
}

void
fg_preempt_timer(struct fg_worker *worker, bool on)
{
	if ((!on && !worker->timer_on) || fg_exec_options.slice_ns == 0)
		return;
	if (!timer_make(worker) || worker->timer_on == on)
		return;
	if (on)
		fg_preempt_install(); /* the program may have put a handler of its own in its place */
	if (timer_set(worker, on))
		worker->timer_on = on;
	else /* of a kernel thread that has ended, whose number came back; or the program closed a file that it did not open */
		timer_drop(worker);
}

FG_READS_HINTS bool
fg_preempt_rests(const struct fg_worker *worker)
{
	return worker->timer_on && worker->timer_ticks && worker->tick.period_ns > fg_exec_options.slice_ns;
}

void
fg_preempt_forget(struct fg_worker *worker)
{
	timer_drop(worker);
}

void
fg_preempt_after_fork(void)
{
	for (struct fg_worker *worker = fg_load_acquire(&fg_workers); worker; worker = worker->all_next) {
		if (worker->timer_tid && worker->timer_ticks)
			fg_tick_close(&worker->tick);
		worker->timer_tid = 0; /* a CPU timer is not inherited */
		worker->timer_on = false;
	}
}

void
fg_preempt_kick(struct fg_worker *worker)
{
	fg_preempt_install();
	int number = fg_exec_options.signal, process = getpid();
	siginfo_t info = {.si_signo = number, .si_code = SI_QUEUE};
	info.si_pid = process;
	info.si_value.sival_ptr = (void *)&mark;
	syscall(SYS_rt_tgsigqueueinfo, process, worker->tid, number, &info);
}
