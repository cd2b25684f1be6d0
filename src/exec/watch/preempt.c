/* Preemption (floor: exec; design D6).
 *
 * The handler acts only on a thread in the program's code, on its own stack and with its own mask: not inside the runtime, not within a
 * handler of the program, on an alternate stack or a coroutine's, nor where the C library has blocked signals for a moment. There the monitor's
 * net has to do (monitor.h). It calls nothing of the C library that locks or allocates. It switches away inside the handler; the kernel's
 * signal frame stays on the suspended thread's stack, and its sigreturn runs on whatever kernel thread resumes the thread. So the
 * alternate stack of that kernel thread is put into the frame before the return, and the mask that the thread has there (mask.h).
 *
 * The handler runs on the kernel thread's alternate stack where there is one, because a tick may meet a stack that has no room for it:
 * a goroutine's, for example, right after the region. There the frame is moved to the thread's own stack before it switches (frame.h).
 * It keeps off alternate stacks for good once the program has one that is too small, or a member sets one, which it may free and not
 * take away; and where a handler of the program may move to another kernel thread, because its return brings that of the first.
 *
 * All signals are blocked from the handler's begin to that return.
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
 * The signal. One that has a handler belongs to the program: then the first real-time signal is taken that has none, and that is not
 * blocked where the runtime starts. Should the program install a handler later, it gets the signal, and no tick on its way reaches it
 * (fg_preempt_sigaction); one that comes by another way than the C library's sigaction is found at the monitor's next look. The monitor then
 * takes the next signal. Where there is none, or a thread has it blocked, or a sandbox forbids such signals, there is no preemption, but the net. */
#define _GNU_SOURCE
#include "exec/watch/preempt.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/log.h"
#include "exec/ground/options.h"
#include "exec/relief/spare.h"
#include "exec/watch/stand.h"
#include "platform/fault.h"
#include "platform/frame.h"
#include "platform/locking_code.h"
#include "platform/sandbox.h"
#include "platform/thread_clock.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* The C library's: `sigaction` is the program's way, through fg_preempt_sigaction. */
extern int __sigaction(int number, const struct sigaction *action, struct sigaction *old);

/* Signals that the runtime sends carry its address; all others are the program's own. */
static const char mark;
static struct fg_atomic_u32 chosen; /* the signal; 0: none yet, or none is free */
static struct fg_atomic_u32 kicks;  /* sent and not seen yet */
static uint64_t start_mask;	    /* of the thread that started the monitor */
static struct sigaction before;	    /* what the program has, or had, for that signal: it does nothing */
/* Guards the above, the timers, and each signal on its way: the holder of the lock knows that none comes. */
static struct fg_spinlock lock = FG_SPINLOCK_INIT(FG_RANK_POOL);

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
	__sigaction(number, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	raise(number);
	fg_mask_set(fg_mask_now() & ~(UINT64_C(1) << (number - 1)));
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
	enum verdict verdict = judge(before, self->interrupted,
				     stayed && fg_load_relaxed(&tick->period_ns) >= FAR_TIMES * fg_tick_brief());
	uint64_t slice = fg_exec_options.slice_ns;
	bool late = 2 * fg_load_relaxed(&tick->period_ns) > slice;
	bool over = verdict == COMPUTES && (self->put_off || (late && stayed));
	if ((over || verdict == SPINS) && puts_off(self, self->interrupted.pc)) {
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

/* The mask that a thread has for so many ticks is its own, though it was not set by a call that the runtime knows of. It may be that of a handler
 * of the program, whose return will bring the alternate stack of this kernel thread to another one. */
#define ADOPT_TICKS 16

static bool
has_own_mask(struct fg_identity *self, const void *context)
{
	uint64_t mask = fg_mask_in_frame(context);
	if (mask == fg_mask_of(self)) {
		self->mask_ticks = 0;
		return true;
	}
	if (mask != self->mask_seen || self->mask_ticks == 0)
		self->mask_ticks = ADOPT_TICKS;
	self->mask_seen = mask;
	if (--self->mask_ticks)
		return false;
	self->mask = mask;
	self->follows |= FG_MASK_OWN;
	fg_fault_judge(0, false);
	return true;
}

static bool
on_own_stack(const struct fg_identity *self, const void *context)
{
	return fg_identity_is_on_own_stack(self, (uintptr_t)fg_fault_sp(context)) && !fg_frame_met_alternate(context);
}

/* The rest of on_tick, on the thread's own stack. It goes on here, perhaps on another kernel thread than before. */
static void
preempt(int signal, siginfo_t *info, void *signal_context)
{
	int saved_errno = errno;
	struct fg_identity *self = fg_self();
	ucontext_t *context = signal_context;
	stack_t stack;
	(void)signal;
	(void)info;
	self->follows |= FG_MASK_FRAME;
	fg_worker_preempt(self);
	if (fg_fault_alternate(NULL, &stack) == 0)
		context->uc_stack = stack;
	fg_mask_put_in_frame(context, fg_mask_of(self));
	self->follows &= (uint8_t)~FG_MASK_FRAME;
	fg_leave(self);
	errno = saved_errno;
	fg_frame_return(context);
}

/* With the queue of signals full the kernel sends one that says nothing of itself. */
static bool
is_ours(const siginfo_t *info)
{
	if (info->si_code == POLL_IN)
		return fg_tick_known(info->si_fd);
	if (info->si_code == SI_USER && info->si_pid == 0)
		return fg_load_relaxed(&kicks) != 0;
	return info->si_value.sival_ptr == &mark && (info->si_code == SI_TIMER || info->si_code == SI_QUEUE);
}

/* Two for one thread may have become one: then the number stays too high. */
static void
kick_seen(void)
{
	uint32_t sent = fg_load_relaxed(&kicks);
	while (sent && !fg_cas_relaxed(&kicks, &sent, sent - 1))
		;
}

static void
on_tick(int signal, siginfo_t *info, void *context)
{
	int saved_errno = errno;
	if (!is_ours(info)) {
		if (info->si_code != SI_QUEUE || !fg_stand_answer(info->si_value.sival_ptr, context))
			default_action(signal);
		errno = saved_errno;
		return;
	}
	if (info->si_code != POLL_IN && info->si_code != SI_TIMER)
		kick_seen();
	struct fg_identity *self = fg_self();
	if (!self || fg_own_load_relaxed(&self->in_runtime))
		return;
	fg_own_store_relaxed(&self->in_runtime, 1);
	fg_signal_fence();
	/* Only now: an entry into the runtime like any other (spare.c). */
	bool leaves = fg_spare_here(self) && gives_way(self, info->si_code == POLL_IN, context) &&
		      has_own_mask(self, context) && on_own_stack(self, context);
	errno = saved_errno;
	if (leaves && !fg_frame_is_alternate(context)) {
		preempt(signal, info, context);
		return;
	}
	if (leaves)
		fg_frame_move(&(struct fg_frame_move){preempt, self->stack_low, __builtin_frame_address(0)}, signal,
			      info, context);
	fg_leave(self);
	errno = saved_errno;
}

static bool
does_nothing(int number, const struct sigaction *action)
{
	return action->sa_handler == SIG_DFL || (action->sa_handler == SIG_IGN && ignored_by_default(number));
}

static int
stack_flag(void)
{
	return fg_load_relaxed(&fg_fault_unfit) ? 0 : SA_ONSTACK;
}

static bool
is_free(int number, bool *installed)
{
	struct sigaction found;
	if (__sigaction(number, NULL, &found) != 0)
		return false;
	bool ours = found.sa_sigaction == on_tick;
	*installed = ours && (found.sa_flags & SA_ONSTACK) == stack_flag();
	return ours || does_nothing(number, &found);
}

static int
first_free(int wanted, bool *installed)
{
	if (is_free(wanted, installed))
		return wanted;
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		if (number != wanted && !fg_mask_has(start_mask, number) && is_free(number, installed))
			return number;
	return 0;
}

static void
tell(int number)
{
	if (!number)
		fg_note("each signal that could preempt threads is the program's: spare kernel threads help out");
	else if (number != fg_exec_options.signal)
		fg_note("the program has a handler for signal %d, so signal %d preempts threads",
			fg_exec_options.signal, number);
}

static void
install(int number)
{
	struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART | stack_flag()};
	sigfillset(&action.sa_mask);
	struct sigaction found;
	if (number && __sigaction(number, &action, &found) == 0 && found.sa_sigaction != on_tick)
		before = found;
	if ((uint32_t)number != fg_load_relaxed(&chosen))
		tell(number);
	fg_store_release(&chosen, (uint32_t)number);
}

static void
install_locked(void)
{
	if (!fg_sandbox_allows(FG_SANDBOX_SIGNALS)) {
		fg_store_release(&chosen, 0);
		return;
	}
	int now = (int)fg_load_relaxed(&chosen);
	bool installed = false;
	int number = first_free(now ? now : fg_exec_options.signal, &installed);
	if (!installed || number != now)
		install(number);
}

void
fg_preempt_install(void)
{
	fg_spinlock_lock(&lock);
	install_locked();
	fg_spinlock_unlock(&lock);
}

void
fg_preempt_start(void)
{
	start_mask = fg_mask_now();
	fg_locking_code_find();
	fg_preempt_install();
}

FG_READS_HINTS bool
fg_preempt_reaches(const struct fg_worker *worker, const struct fg_identity *thread)
{
	int number = (int)fg_load_relaxed(&chosen);
	uint64_t mask = thread->follows & FG_MASK_OWN ? thread->mask : worker->mask;
	return number && fg_exec_options.slice_ns != 0 && !fg_mask_has(mask, number) &&
	       fg_sandbox_allows(FG_SANDBOX_SIGNALS);
}

static void
timer_drop(struct fg_worker *worker)
{
	if (worker->timer_tid && worker->timer_ticks)
		fg_tick_close(&worker->tick);
	else if (worker->timer_tid && fg_sandbox_allows(FG_SANDBOX_SIGNALS))
		syscall(SYS_timer_delete, worker->timer);
	worker->timer_tid = 0;
	worker->timer_on = false;
}

static bool
timer_make(struct fg_worker *worker)
{
	int number = (int)fg_load_relaxed(&chosen);
	if (worker->timer_tid == worker->tid && worker->timer_signal == number &&
	    (!worker->timer_ticks || fg_tick_is_open(&worker->tick)))
		return true;
	timer_drop(worker);
	if (!number)
		return false;
	worker->timer_signal = number;
	worker->timer_ticks = fg_tick_open(&worker->tick, worker->tid, number);
	if (worker->timer_ticks) {
		worker->timer_tid = worker->tid;
		return true;
	}
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number};
	event.sigev_notify_thread_id = worker->tid;
	event.sigev_value.sival_ptr = (void *)&mark;
	clockid_t clock = fg_thread_clock(worker->tid);
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

static void
timer_turn(struct fg_worker *worker, bool on)
{
	if (on)
		install_locked(); /* the program may have put a handler of its own in its place */
	if (!timer_make(worker) || worker->timer_on == on)
		return;
	if (timer_set(worker, on))
		worker->timer_on = on;
	else /* of a kernel thread that has ended, whose number came back; or the program closed a file that it did not open */
		timer_drop(worker);
}

bool
fg_preempt_timer(struct fg_worker *worker, bool on)
{
	if ((!on && !worker->timer_on) || fg_exec_options.slice_ns == 0)
		return false;
	fg_spinlock_lock(&lock);
	timer_turn(worker, on);
	fg_spinlock_unlock(&lock);
	return worker->timer_on;
}

FG_READS_HINTS bool
fg_preempt_rests(const struct fg_worker *worker)
{
	return worker->timer_on && worker->timer_ticks &&
	       fg_load_relaxed(&worker->tick.period_ns) > fg_exec_options.slice_ns;
}

void
fg_preempt_forget(struct fg_worker *worker)
{
	fg_spinlock_lock(&lock);
	timer_drop(worker);
	fg_spinlock_unlock(&lock);
}

void
fg_preempt_after_fork(void)
{
	fg_spinlock_init(&lock, FG_RANK_POOL);
	for (struct fg_worker *worker = fg_load_acquire(&fg_all_workers); worker; worker = worker->all_next) {
		if (worker->timer_tid && worker->timer_ticks)
			fg_tick_close(&worker->tick);
		worker->timer_tid = 0; /* a CPU timer is not inherited */
		worker->timer_on = false;
	}
}

void
fg_preempt_hasten(struct fg_worker *worker)
{
	fg_spinlock_lock(&lock);
	if (worker->timer_on && worker->timer_ticks)
		fg_tick_limit(&worker->tick, fg_exec_options.slice_ns);
	fg_spinlock_unlock(&lock);
}

static void
send_locked(int tid, const void *value, int number)
{
	int process = getpid();
	siginfo_t info = {.si_signo = number, .si_code = SI_QUEUE};
	info.si_pid = process;
	info.si_value.sival_ptr = (void *)value;
	syscall(SYS_rt_tgsigqueueinfo, process, tid, number, &info);
}

void
fg_preempt_send(int tid, const void *value)
{
	fg_spinlock_lock(&lock);
	install_locked();
	int number = (int)fg_load_relaxed(&chosen);
	if (number)
		send_locked(tid, value, number);
	fg_spinlock_unlock(&lock);
}

void
fg_preempt_kick(struct fg_worker *worker)
{
	fg_add_relaxed(&kicks, 1);
	fg_preempt_send(worker->tid, &mark);
}

/* To ignore a signal takes back what is on its way. */
static int
give_locked(int number, const struct sigaction *action)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	for (struct fg_worker *worker = fg_load_acquire(&fg_all_workers); worker; worker = worker->all_next)
		timer_drop(worker);
	fg_store_release(&chosen, 0);
	__sigaction(number, &ignore, NULL);
	return __sigaction(number, action, NULL);
}

static int
sigaction_locked(int number, const struct sigaction *action, struct sigaction *old)
{
	struct sigaction found;
	if ((uint32_t)number != fg_load_relaxed(&chosen) || __sigaction(number, NULL, &found) != 0 ||
	    found.sa_sigaction != on_tick)
		return __sigaction(number, action, old);
	struct sigaction was = before;
	int result = 0;
	if (action && does_nothing(number, action))
		before = *action;
	else if (action)
		result = give_locked(number, action);
	if (old && result == 0)
		*old = was;
	return result;
}

bool
fg_preempt_uses(int number)
{
	return number > 0 && (uint32_t)number == fg_load_relaxed(&chosen);
}

/* In a handler that interrupted the runtime the lock may be the caller's own: then it is not taken. */
static bool
lock_from_program(struct fg_identity *self)
{
	if (self && fg_own_load_relaxed(&self->in_runtime))
		return false;
	if (self)
		fg_own_store_relaxed(&self->in_runtime, 1);
	fg_signal_fence();
	fg_spinlock_lock(&lock);
	return true;
}

static void
unlock_from_program(struct fg_identity *self)
{
	fg_spinlock_unlock(&lock);
	fg_signal_fence();
	if (self)
		fg_own_store_release(&self->in_runtime, 0);
}

void
fg_preempt_handler(const struct sigaction *action)
{
	bool is_handler = action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
	bool may_move = action->sa_flags & SA_NODEFER && !(action->sa_flags & SA_ONSTACK);
	if (is_handler && may_move)
		fg_preempt_alternate(0);
}

int
fg_preempt_sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	struct fg_identity *self = fg_self();
	if (action)
		fg_preempt_handler(action);
	if (!fg_preempt_uses(number) || !lock_from_program(self))
		return __sigaction(number, action, old);
	int result = sigaction_locked(number, action, old);
	unlock_from_program(self);
	return result;
}

void
fg_preempt_alternate(size_t size)
{
	struct fg_identity *self = fg_self();
	if (!fg_fault_judge(size, !self || self->root) || !lock_from_program(self))
		return;
	if (fg_load_relaxed(&chosen))
		install_locked();
	unlock_from_program(self);
}
