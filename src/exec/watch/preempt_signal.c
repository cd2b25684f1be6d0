/* The signal that preempts (floor: exec).
 *
 * A signal that has a handler belongs to the program. If the configured signal has one, the runtime takes the first
 * real-time signal that is free. Such a signal has no handler, and is not blocked in the thread that starts the
 * monitor. If the program installs a handler later, it gets the signal, and no tick on its way reaches that handler
 * (fg_preempt_sigaction). A handler that the program installs without the C library's sigaction is found at the
 * monitor's next look. The monitor then takes the next signal.
 *
 * There is no preemption where no signal is free, where a thread has it blocked, or where a sandbox forbids such
 * signals. Then only the net is left. */
#define _GNU_SOURCE
#include "exec/watch/preempt_signal.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/log.h"
#include "exec/ground/hooks.h"
#include "exec/ground/options.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "exec/watch/preempt_timer.h"
#include "platform/fault.h"
#include "platform/kernel_mask.h"
#include "platform/locking_code.h"
#include "platform/sandbox.h"
#include "platform/signal_action.h"
#include "platform/thread.h"

static struct {
	struct fg_atomic_u32 chosen; /* the signal; 0: none yet, or none is free */
	struct fg_atomic_u32 kicks;  /* kicks sent that no handler has seen yet; changes without the lock */
	uint64_t start_mask;	     /* of the thread that started the monitor */
	struct sigaction before;     /* the program's action for `chosen`, now or earlier; see does_nothing */
	/* Guards `chosen`, `start_mask`, `before` and the timers. Signals are sent and timers are turned on only under
	 * this lock. So once its holder has dropped all timers and has ignored the signal, no signal comes any more
	 * (give_locked). */
	struct fg_spinlock lock;
} preemption = {.lock = FG_SPINLOCK_INIT(FG_RANK_POOL)};

static bool
ignored_by_default(int signal)
{
	return signal == SIGURG || signal == SIGCHLD || signal == SIGWINCH || signal == SIGCONT;
}

void
fg_preempt_default(int number)
{
	if (ignored_by_default(number))
		return;
	fg_signal_default(number);
	fg_thread_signal(fg_thread_id(), number);
	fg_mask_set(fg_mask_now() & ~(UINT64_C(1) << (number - 1)));
}

/* POLL_IN: a tick (tick.h), which names its file. When the queue of signals is full, the kernel sends a signal without
 * any information about itself. */
bool
fg_preempt_is_ours(const siginfo_t *info)
{
	if (info->si_code == POLL_IN)
		return fg_tick_known(info->si_fd);
	if (info->si_code == SI_USER && info->si_pid == 0)
		return fg_load_relaxed(&preemption.kicks) != 0;
	return info->si_value.sival_ptr == &fg_preempt_mark && (info->si_code == SI_TIMER || info->si_code == SI_QUEUE);
}

/* Two signals for one thread may have become one. Then the number stays too high. So the program's own signal may be
 * taken for a kick, if it comes without information. Then its default action is not done. */
void
fg_preempt_kick_seen(void)
{
	uint32_t sent = fg_load_relaxed(&preemption.kicks);
	while (sent && !fg_cas_relaxed(&preemption.kicks, &sent, sent - 1))
		;
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
	if (fg_signal_action(number, NULL, &found) != 0)
		return false;
	bool ours = found.sa_sigaction == fg_exec_hooks.on_tick;
	*installed = ours && (found.sa_flags & SA_ONSTACK) == stack_flag();
	return ours || does_nothing(number, &found);
}

static int
first_free(int wanted, bool *installed)
{
	if (is_free(wanted, installed))
		return wanted;
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		if (number != wanted && !fg_mask_has(preemption.start_mask, number) && is_free(number, installed))
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
	struct sigaction action = {.sa_sigaction = fg_exec_hooks.on_tick,
				   .sa_flags = SA_SIGINFO | SA_RESTART | stack_flag()};
	memcpy(&action.sa_mask, &(uint64_t){FG_MASK_HANDLER}, sizeof(uint64_t));
	struct sigaction found;
	if (number && fg_signal_action(number, &action, &found) == 0 && found.sa_sigaction != fg_exec_hooks.on_tick)
		preemption.before = found;
	if ((uint32_t)number != fg_load_relaxed(&preemption.chosen)) {
		FG_EACH_WORKER (worker)
			fg_sample_timer_drop(&fg_parts(worker)->preempt); /* its signals would be the program's now */
		tell(number);
	}
	fg_store_release(&preemption.chosen, (uint32_t)number);
}

static void
install_locked(void)
{
	assert(fg_spinlock_held(&preemption.lock));
	if (!fg_sandbox_allows(FG_SANDBOX_SIGNALS)) {
		fg_store_release(&preemption.chosen, 0);
		return;
	}
	int now = (int)fg_load_relaxed(&preemption.chosen);
	bool installed = false;
	int number = first_free(now ? now : fg_exec_options.signal, &installed);
	assert(number >= 0 && number <= SIGRTMAX);
	if (!installed || number != now)
		install(number);
}

void
fg_preempt_install(void)
{
	fg_spinlock_lock(&preemption.lock);
	install_locked();
	fg_spinlock_unlock(&preemption.lock);
}

void
fg_preempt_start(void)
{
	fg_locking_code_find();
	bool inside = fg_enter_again(fg_self());
	fg_spinlock_lock(&preemption.lock);
	preemption.start_mask = fg_mask_now();
	install_locked();
	fg_spinlock_unlock(&preemption.lock);
	fg_leave_again(fg_self(), inside);
}

FG_READS_HINTS bool
fg_preempt_reaches(const struct fg_worker *worker, const struct fg_identity *thread)
{
	int number = (int)fg_load_relaxed(&preemption.chosen);
	uint64_t mask = thread->signals.follows & FG_MASK_OWN ? thread->signals.mask : fg_parts(worker)->mask;
	return number && fg_exec_options.slice_ns != 0 && !fg_mask_has(mask, number) &&
	       fg_sandbox_allows(FG_SANDBOX_SIGNALS);
}

static void
turn_locked(struct fg_worker *worker, bool on, int number)
{
	assert(fg_spinlock_held(&preemption.lock));
	fg_preempt_timer_turn(&fg_parts(worker)->preempt, &worker->timer_on, worker->tid, on, number);
}

static void
drop_locked(struct fg_worker *worker)
{
	assert(fg_spinlock_held(&preemption.lock));
	fg_preempt_timer_drop(&fg_parts(worker)->preempt, &worker->timer_on);
}

bool
fg_preempt_timer(struct fg_worker *worker, bool on)
{
	if (on)
		worker = fg_worker_head(worker);
	if ((!on && !worker->timer_on) || fg_exec_options.slice_ns == 0)
		return false;
	fg_spinlock_lock(&preemption.lock);
	if (on)
		install_locked(); /* the program may have installed a handler of its own instead */
	turn_locked(worker, on, (int)fg_load_relaxed(&preemption.chosen));
	assert(!worker->timer_on || (fg_parts(worker)->preempt.timer_tid && fg_load_stable(&preemption.chosen)));
	fg_spinlock_unlock(&preemption.lock);
	return worker->timer_on;
}

bool
fg_preempt_sample(struct fg_worker *worker, uint64_t period_ns)
{
	fg_spinlock_lock(&preemption.lock);
	if (period_ns)
		install_locked();
	int number = (int)fg_load_relaxed(&preemption.chosen);
	bool blocked = period_ns && number && fg_mask_has(fg_parts(worker)->mask, number);
	bool set = !blocked && fg_sandbox_allows(FG_SANDBOX_SIGNALS) &&
		   fg_sample_timer_set(&fg_parts(worker)->preempt, worker->tid, number, period_ns);
	fg_spinlock_unlock(&preemption.lock);
	return set;
}

void
fg_preempt_forget(struct fg_worker *worker)
{
	fg_spinlock_lock(&preemption.lock);
	drop_locked(worker);
	fg_sample_timer_drop(&fg_parts(worker)->preempt);
	fg_spinlock_unlock(&preemption.lock);
}

void
fg_preempt_after_fork(void)
{
	fg_spinlock_init(&preemption.lock, FG_RANK_POOL);
	FG_EACH_WORKER (worker) {
		if (fg_parts(worker)->preempt.timer_tid && fg_parts(worker)->preempt.timer_ticks)
			fg_tick_close(&fg_parts(worker)->preempt.tick);
		fg_parts(worker)->preempt.timer_tid = 0; /* a CPU timer is not inherited */
		fg_parts(worker)->preempt.sample_tid = 0;
		worker->timer_on = false;
	}
}

void
fg_preempt_hasten(struct fg_worker *worker, uint64_t ns)
{
	worker = fg_worker_head(worker);
	fg_spinlock_lock(&preemption.lock);
	if (worker->timer_on && fg_parts(worker)->preempt.timer_ticks)
		fg_tick_limit(&fg_parts(worker)->preempt.tick, ns);
	fg_spinlock_unlock(&preemption.lock);
}

/* Without a signal there is none to choose here: that is the monitor's. */
void
fg_preempt_soon(struct fg_worker *worker)
{
	worker = fg_worker_head(worker);
	fg_spinlock_lock(&preemption.lock);
	int number = (int)fg_load_relaxed(&preemption.chosen);
	if (number)
		turn_locked(worker, true, number);
	if (worker->timer_on && fg_parts(worker)->preempt.timer_ticks)
		fg_tick_limit(&fg_parts(worker)->preempt.tick, fg_tick_brief());
	fg_spinlock_unlock(&preemption.lock);
}

void
fg_preempt_send(int tid, const void *value)
{
	fg_spinlock_lock(&preemption.lock);
	install_locked();
	int number = (int)fg_load_relaxed(&preemption.chosen);
	if (number)
		fg_thread_signal_value(tid, number, value);
	fg_spinlock_unlock(&preemption.lock);
}

void
fg_preempt_kick(struct fg_worker *worker)
{
	fg_add_relaxed(&preemption.kicks, 1);
	fg_preempt_send(worker->tid, &fg_preempt_mark);
}

/* To ignore a signal takes back the signals that are on their way. */
static int
give_locked(int number, const struct sigaction *action)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	assert(fg_spinlock_held(&preemption.lock) && (uint32_t)number == fg_load_stable(&preemption.chosen));
	FG_EACH_WORKER (worker) {
		drop_locked(worker);
		fg_sample_timer_drop(&fg_parts(worker)->preempt);
	}
	fg_store_release(&preemption.chosen, 0);
	fg_signal_action(number, &ignore, NULL);
	return fg_signal_action(number, action, NULL);
}

static int
sigaction_locked(int number, const struct sigaction *action, struct sigaction *old)
{
	struct sigaction found;
	if ((uint32_t)number != fg_load_relaxed(&preemption.chosen) || fg_signal_action(number, NULL, &found) != 0 ||
	    found.sa_sigaction != fg_exec_hooks.on_tick)
		return fg_signal_action(number, action, old);
	struct sigaction was = preemption.before;
	int result = 0;
	if (action && does_nothing(number, action))
		preemption.before = *action;
	else if (action)
		result = give_locked(number, action);
	if (old && result == 0)
		*old = was;
	return result;
}

bool
fg_preempt_uses(int number)
{
	return number > 0 && (uint32_t)number == fg_load_relaxed(&preemption.chosen);
}

/* In a handler that interrupted the runtime, the caller itself may hold the lock. Then the lock is not taken. Otherwise
 * in_runtime only keeps the preempting handler off. The caller need not load `away`, as hold.c demands of an entry,
 * because it touches nothing of its worker but what this lock guards. A pthread that the runtime has not met has no
 * such word. It blocks signals instead, so that no handler asks for the lock on top of it. */
static bool
lock_from_program(struct fg_identity *self, uint64_t *mask)
{
	if (self && fg_own_load_relaxed(&self->in_runtime))
		return false;
	if (self) {
		fg_own_store_relaxed(&self->in_runtime, 1);
	} else {
		*mask = fg_mask_now();
		fg_mask_set(FG_MASK_ALL);
	}
	fg_signal_fence();
	fg_spinlock_lock(&preemption.lock);
	return true;
}

static void
unlock_from_program(struct fg_identity *self, uint64_t mask)
{
	assert(!self || (self == fg_self() && fg_load_stable(&self->in_runtime)));
	fg_spinlock_unlock(&preemption.lock);
	fg_signal_fence();
	if (self)
		fg_own_store_release(&self->in_runtime, 0);
	else
		fg_mask_set(mask);
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
	uint64_t mask = 0;
	if (action)
		fg_preempt_handler(action);
	if (!fg_preempt_uses(number) || !lock_from_program(self, &mask))
		return fg_signal_action(number, action, old);
	int result = sigaction_locked(number, action, old);
	unlock_from_program(self, mask);
	return result;
}

void
fg_preempt_alternate(size_t size)
{
	struct fg_identity *self = fg_self();
	uint64_t mask = 0;
	if (!fg_fault_judge(size, !self || self->root) || !lock_from_program(self, &mask))
		return;
	if (fg_load_relaxed(&preemption.chosen))
		install_locked();
	unlock_from_program(self, mask);
}
