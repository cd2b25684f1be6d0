/* Preemption (floor: exec): see preempt.h.
 *
 * The handler acts only on a thread in the program's code, on its own stack and with its own mask. So it does not
 * act inside the runtime, in a handler of the program, on an alternate stack, or on the stack of a coroutine. Nor
 * does it act where the C library has blocked signals for a moment. In these cases only the monitor's net helps
 * (monitor.h).
 *
 * The handler calls no function of the C library that locks or allocates. It switches away inside the handler. The
 * kernel's signal frame stays on the suspended thread's stack, and its sigreturn runs on the kernel thread that
 * resumes the thread. Therefore the handler puts two things into the frame before it returns: the alternate stack of
 * that kernel thread, and the mask that the thread has there (mask.h).
 *
 * The handler runs on the kernel thread's alternate stack where there is one. A late tick may meet the thread after
 * its region, on a stack without room for the handler: a goroutine's, for example. Before a switch the frame is moved
 * to the thread's own stack (frame.h). The handler keeps off alternate stacks for good in three cases:
 * - once the program has an alternate stack that is too small;
 * - once a member sets one, because the member may free it and not take it away;
 * - once a handler of the program may move to another kernel thread, because its return sets the first one's alternate
 *   stack there.
 *
 * All signals but the C library's own two are blocked from the handler's begin to its sigreturn.
 *
 * A thread that computes has a slice, which the monitor ends. A thread that only spins, in barriers and on flags of the
 * program, gives way as soon as that is seen. Either three ticks met it in the same loop with the same registers, or
 * one tick met it where others were just seen to spin. After a tick that met a spinning thread the next one comes soon.
 * So it does where something new begins to wait. The distance of two ticks doubles each time they find nothing, up to
 * the slice. Where threads give way by themselves it doubles, too, up to REST_NS. Each tick that meets another thread
 * is a pair then: the second one comes soon, and sees whether the thread spins. (Without that, spins shorter than the
 * slice would never be seen.)
 *
 * A tick takes some 20 us on virtual machines. A tick may be due when the one before has just been served. Then it
 * comes before the thread's next instruction, and meets the same registers although the thread computes. So where no
 * thread was seen to spin yet, two ticks count only if they are further apart than that. */
#define _GNU_SOURCE
#include "exec/watch/preempt.h"

#include <errno.h>
#include <ucontext.h>

#include "exec/body/mask.h"
#include "exec/grant/ride.h"
#include "exec/ground/above.h"
#include "exec/ground/options.h"
#include "exec/loop/loop.h"
#include "exec/relief/hold.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "exec/watch/preempt_signal.h"
#include "exec/watch/preempt_timer.h"
#include "platform/fault.h"
#include "platform/frame.h"
#include "platform/locking_code.h"

/* Spots: instructions at which threads were seen to spin, as (address << 8 | trust). A thread that is met there most
 * likely spins as well, so one look is enough, `trust` times. After that it takes two looks again, the second one
 * soon. */
#define SPOTS 16
#define TRUST 8
#define REST_SLICES 16	 /* the largest distance of ticks that find nothing to do, or meet another thread each */
#define REST_NS 16000000 /* and no longer than that */
static struct fg_atomic_u64 spots[SPOTS];

/* MAY_SPIN: the spot is known, but its trust is used up. */
enum verdict { COMPUTES, MAY_SPIN, SPINS };

static struct fg_atomic_u64 *
spot_of(uintptr_t pc)
{
	return &spots[(pc ^ pc >> 4) % SPOTS];
}

static bool
is_known(uintptr_t pc)
{
	return fg_load_relaxed(spot_of(pc)) >> 8 == pc;
}

/* looks: the last so many ticks found nothing changed. far: the thread has had time to go on since `before`. A page
 * fault may take longer than that, so two looks are needed then. */
static enum verdict
judge(struct fg_interrupted before, struct fg_interrupted now, unsigned looks, bool far)
{
	struct fg_atomic_u64 *spot = spot_of(now.pc);
	if (looks && ((far && looks > 1) || is_known(now.pc) || is_known(before.pc))) {
		fg_store_relaxed(spot, (uint64_t)now.pc << 8 | TRUST);
		return SPINS;
	}
	uint64_t known = fg_load_relaxed(spot);
	if (known >> 8 != now.pc)
		return COMPUTES;
	if ((known & 0xff) == 0)
		return MAY_SPIN;
	fg_store_relaxed(spot, known - 1);
	return SPINS;
}

/* In the C library a thread may hold a lock that the runtime is going to need (locking_code.h). So it goes on for a
 * moment, and at one of the next looks it will hold none. A thread that is there at each of PUT_OFF_MAX looks
 * computes there, and holds no lock either. */
#define PUT_OFF_MAX 16

static bool
puts_off(struct fg_identity *self, uintptr_t pc)
{
	if (fg_is_locking_code(pc) && self->preempt.put_off < PUT_OFF_MAX) {
		self->preempt.put_off++;
		return true;
	}
	self->preempt.put_off = 0;
	return false;
}

static uint64_t
longest_ns(void)
{
	uint64_t ns = REST_SLICES * fg_exec_options.slice_ns;
	return ns < REST_NS ? ns : REST_NS;
}

/* A tick came: must the thread give way? If the tick before met another thread, there is nothing to compare yet. Then
 * a short period stays as short, and the next tick decides. But where several ticks find that, the threads give way by
 * themselves, and short periods would only cost.
 *
 * Where the trust in a spot is used up, the second look comes soon. So it does after a first one that found nothing
 * changed.
 *
 *     stayed  the worker has not switched since the last tick
 *     late    the period has grown to about the slice
 *     over    the thread has had its slice (monitor.c), or its preemption was put off */
static bool
tick_says(struct fg_identity *self, const void *context)
{
	struct fg_tick *tick = &fg_parts(fg_worker_head(self->worker))->preempt.tick;
	struct fg_interrupted before = self->preempt.interrupted;
	bool stayed = tick->progress == fg_load_relaxed(&self->worker->progress);
	uint64_t period = fg_load_relaxed(&tick->period_ns), took = fg_tick_came(tick);
	bool far = (took < period ? took : period) + fg_tick_brief() >= fg_tick_far(); /* they are not exact */
	self->preempt.interrupted = fg_interrupted_at(context);
	self->preempt.looks = fg_interrupted_spins(before, self->preempt.interrupted) ? self->preempt.looks + 1 : 0;
	enum verdict verdict = judge(before, self->preempt.interrupted, self->preempt.looks, stayed && far);
	uint64_t slice = fg_exec_options.slice_ns;
	bool late = !tick->rest_ns && 2 * period > slice;
	bool over = verdict != SPINS && (self->preempt.put_off || fg_worker_slice_is_over(self->worker));
	if ((over || verdict == SPINS) && puts_off(self, self->preempt.interrupted.pc)) {
		fg_tick_limit(tick, fg_tick_far());
		return false;
	}
	if (verdict == SPINS)
		fg_tick_shorten(tick);
	else if (late && stayed)
		fg_tick_limit(tick, slice);
	else if ((verdict == MAY_SPIN && !tick->rest_ns && period > fg_tick_far()) || (stayed && self->preempt.looks))
		fg_tick_probe(tick);
	else if (stayed)
		fg_tick_lengthen(tick, slice);
	else
		fg_tick_moved(tick, longest_ns());
	tick->progress = fg_load_relaxed(&self->worker->progress);
	tick->uses += over;
	return over || verdict == SPINS;
}

/* tick: a tick came. Otherwise a whole slice is over, or the monitor has seen the thread wait in a futex. */
static bool
gives_way(struct fg_identity *self, bool tick, const void *context)
{
	struct fg_worker *worker = self->worker, *head = fg_worker_head(worker);
	if (!tick) {
		if (head->timer_on && fg_parts(head)->preempt.timer_ticks)
			fg_tick_limit(&fg_parts(head)->preempt.tick, fg_exec_options.slice_ns);
		return worker->carries &&
		       (fg_interrupted_in_futex(context) || !puts_off(self, fg_interrupted_at(context).pc));
	}
	if (worker->carries && fg_worker_must_leave(self)) {
		bool over = tick_says(self, context);
		bool called = fg_ride_calls(worker) || fg_load_relaxed(&self->entity.sent) != NULL;
		if (over || !called)
			return over;
		if (!puts_off(self, fg_interrupted_at(context).pc))
			return true;
		fg_tick_shorten(&fg_parts(head)->preempt.tick);
		return false;
	}
	fg_tick_lengthen(&fg_parts(head)->preempt.tick, longest_ns());
	return false;
}

/* A mask that a thread has for ADOPT_TICKS ticks is its own, though no call that the runtime knows of has set it.
 * The mask may also be that of a handler of the program. Its return may set this kernel thread's alternate stack on
 * another one. So the preemption handler keeps off alternate stacks from now on. */
#define ADOPT_TICKS 16

static bool
has_own_mask(struct fg_identity *self, const void *context)
{
	uint64_t mask = fg_mask_in_frame(context);
	if (mask == fg_mask_of(self)) {
		self->preempt.mask_ticks = 0;
		return true;
	}
	if (mask != self->preempt.mask_seen || self->preempt.mask_ticks == 0)
		self->preempt.mask_ticks = ADOPT_TICKS;
	self->preempt.mask_seen = mask;
	if (--self->preempt.mask_ticks)
		return false;
	assert(self == fg_self() && mask != fg_mask_of(self));
	self->signals.mask = mask;
	self->signals.follows |= FG_MASK_OWN;
	fg_fault_judge(0, false);
	return true;
}

static bool
on_own_stack(const struct fg_identity *self, const void *context)
{
	return fg_identity_is_on_own_stack(self, (uintptr_t)fg_fault_sp(context)) && !fg_frame_met_alternate(context);
}

/* The rest of fg_preempt_on_tick, on the thread's own stack. The thread goes on here, perhaps on another kernel
 * thread than before. */
static void
preempt(int signal, siginfo_t *info, void *signal_context)
{
	int saved_errno = errno;
	struct fg_identity *self = fg_self();
	ucontext_t *context = signal_context;
	stack_t stack;
	(void)signal;
	(void)info;
	assert(fg_load_stable(&self->in_runtime) && !(self->signals.follows & FG_MASK_FRAME) &&
	       fg_identity_valid(self));
	self->signals.follows |= FG_MASK_FRAME;
	fg_worker_preempt(self);
	assert(self == fg_self() && self->signals.follows & FG_MASK_FRAME && fg_load_stable(&self->in_runtime));
	if (fg_fault_alternate(NULL, &stack) == 0)
		context->uc_stack = stack;
	fg_mask_put_in_frame(context, fg_mask_of(self));
	self->signals.follows &= (uint8_t)~FG_MASK_FRAME;
	fg_leave(self);
	errno = saved_errno;
	fg_frame_return(context);
}

void
fg_preempt_on_tick(int signal, siginfo_t *info, void *context)
{
	int saved_errno = errno;
	if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &fg_sample_mark) {
		struct fg_identity *met = fg_self();
		if (met && !fg_own_load_relaxed(&met->in_runtime))
			fg_exec_above.sample(met, context);
		errno = saved_errno;
		return;
	}
	if (!fg_preempt_is_ours(info)) { /* it is a question of FGOMP_STUCK, or the program has sent it */
		if (info->si_code != SI_QUEUE || !fg_exec_above.answer(info->si_value.sival_ptr, context))
			fg_preempt_default(signal);
		errno = saved_errno;
		return;
	}
	/* POLL_IN: a tick. SI_TIMER: a CPU timer, after a slice. Otherwise the monitor has sent a kick. */
	if (info->si_code != POLL_IN && info->si_code != SI_TIMER)
		fg_preempt_kick_seen();
	struct fg_identity *self = fg_self();
	if (!self || fg_own_load_relaxed(&self->in_runtime))
		return;
	fg_own_store_relaxed(&self->in_runtime, 1);
	fg_signal_fence();
	/* This must come after the store above, as in any other entry into the runtime (relief/hold.c). */
	bool leaves = fg_hold_none(self) && gives_way(self, info->si_code == POLL_IN, context) &&
		      has_own_mask(self, context) && on_own_stack(self, context);
	errno = saved_errno;
	if (leaves && !fg_frame_is_alternate(context)) {
		preempt(signal, info, context);
		return;
	}
	if (leaves)
		fg_frame_move(&(struct fg_frame_move){preempt, self->stack.low, __builtin_frame_address(0)}, signal,
			      info, context);
	fg_leave(self);
	errno = saved_errno;
}
