/* Spares: kernel threads that take over a worker whose own kernel thread is blocked in the kernel, and those that
 * come back.
 *
 * Constants: exec/loop/park.c KERNEL_SPIN_NS=0
 * With: floor
 */
#include "exec/donor/donor.h"
#include "exec/flat/dock.h"
#include "exec/flat/lend.h"
#include "exec/ground/options.h"
#include "exec/loop/crew.h"
#include "exec/relief/hold.h"
#include "exec/relief/spare.h"
#include "exec/thread/levels.h"
#include "exec/thread/root_worker.h"
#include "exec/thread/worker_parts.h"
#include "interleave/floor.h"
#include "interleave/model.h"
#include "interleave/regions.h"

/* A member blocks in the kernel while another one of its crew waits for the PU. A spare carries the worker, and
 * gives it back to a thread of the program. A thread whose home is a worker comes back as any other, and its kernel
 * thread becomes a spare. */
static struct fg_atomic_u32 blocked;
static struct fg_worker *blocked_worker;
static unsigned who_blocks, times, attempts;

static void
block(void)
{
	struct fg_identity *self = fg_self();
	if (!blocked_worker)
		blocked_worker = self->worker;
	model_racy(&self->worker->tid, sizeof self->worker->tid);
	fg_donor_reserve(self); /* in the running system the monitor keeps some */
	for (unsigned i = 0; i < times; i++) {
		fg_leave(self);
		fg_store_release(&blocked, 1);
		model_point("in the kernel");
		fg_enter(self);
		model_assert(fg_self() == self);
		model_assert(fg_load_relaxed(&self->away) != 2); /* TAKEN */
	}
}

static void
block_body(void *job, unsigned member)
{
	tell_body(job, member);
	if (member == who_blocks)
		block();
}

static void
spare_root(void)
{
	root = floor_root(false);
	flat_region(who_blocks ? 4 : 2, block_body);
	fg_store_release(&blocked, 2);
}

/* The clock of the blocked member stands from the moment when the spare has its PU. */
static void
clocked_block_body(void *job, unsigned member)
{
	clock_begin(member);
	block_body(job, member);
	clock_end(member);
}

static void
spare_root_clocked(void)
{
	root = floor_root(false);
	fg_clock_on = true;
	flat_region(who_blocks ? 4 : 2, clocked_block_body);
	fg_store_release(&blocked, 2);
}

static void
spare_monitor(void)
{
	while (!fg_load_acquire(&blocked))
		fg_carrier->pause();
	for (unsigned i = 0; i < attempts && fg_load_acquire(&blocked) == 1; i++) {
		fg_spare_take_over(blocked_worker, false);
		fg_spare_make(); /* as the spawner would */
		fg_carrier->pause();
	}
}

static void
spare_setup_root(void)
{
	floor_setup();
	fg_exec_options.n_pus = 1;
	times = 1;
	attempts = 2;
}
MODEL_SCENARIO(spare_root, .setup = spare_setup_root, .thread = {spare_root, spare_monitor},
	       .broken = MODEL_BROKEN("drop wake", "fault no membarrier", "weaken claim_for_root:store_release",
				      "drop fg_hold_give_back:store_release", "drop fg_hold_take:store_release",
				      "drop fg_spare_take_over:store_release"));

static void
spare_setup_twice(void)
{
	spare_setup_root();
	times = 2;
	attempts = 3;
}
MODEL_SCENARIO(spare_twice, .setup = spare_setup_twice, .thread = {spare_root, spare_monitor},
	       .broken = MODEL_BROKEN("weaken fg_spare_take_over:store_release", "weaken fg_hold_take:store_release",
				      "weaken claim_for_root:load_acquire"));

static void
spare_setup_worker(void)
{
	floor_setup();
	who_blocks = 1;
	times = 1;
	attempts = 3;
}
MODEL_SCENARIO(spare_worker, .setup = spare_setup_worker, .thread = {spare_root, spare_monitor},
	       .broken = MODEL_BROKEN("drop wake"));

MODEL_SCENARIO(spare_root_clocked, .setup = spare_setup_root, .thread = {spare_root_clocked, spare_monitor},
	       .broken = MODEL_BROKEN("drop wake", "drop fg_clock_out:store_release"));
MODEL_SCENARIO(spare_worker_clocked, .setup = spare_setup_worker, .thread = {spare_root_clocked, spare_monitor},
	       .broken = MODEL_BROKEN("drop wake", "drop fg_clock_out:store_release"));

/* A relieved member may go on on another worker, and may be in the kernel there, before the spare has begun. Then
 * the monitor looks again at the worker that the member has left. It must not take the member as if it were there
 * still. */
enum { NOWHERE, AWAY, RELIEVED, ELSEWHERE, LOOKED, OVER };

static void
elsewhere_until(uint32_t is, uint32_t then)
{
	struct fg_identity *self = fg_self();
	fg_leave(self);
	fg_store_release(&blocked, is);
	while (fg_load_acquire(&blocked) < then)
		fg_carrier->pause();
	fg_enter(self);
}

static void
elsewhere_inner(void *job, unsigned member)
{
	born_body(job, member);
	if (member == 0)
		return;
	struct fg_identity *self = fg_self();
	struct fg_worker *left = blocked_worker = self->worker;
	if (left != fg_root_worker(root)) {
		model_racy(&left->tid, sizeof left->tid);
		fg_donor_reserve(self);
		elsewhere_until(AWAY, RELIEVED);
	}
	if (self->worker != left)
		elsewhere_until(ELSEWHERE, LOOKED);
	fg_store_release(&blocked, OVER);
}

static void
elsewhere_body(void *job, unsigned member)
{
	tell_body(job, member);
	if (member == 1)
		nested_region(2, elsewhere_inner);
}

static void
spare_elsewhere(void)
{
	root = floor_root(false);
	flat_region(2, elsewhere_body);
}

/* The monitor has woken the spare, but the spare gets no PU yet. */
#define MONITOR 1
static struct fg_atomic_u32 *woken;
static bool slow;

static void
elsewhere_wake(struct fg_atomic_u32 *word, unsigned count)
{
	if (model_self() == MONITOR && slow)
		woken = word;
	else
		model_carrier.wake(word, count);
}

static bool
take_over_slowly(void)
{
	slow = true;
	bool taken = fg_spare_take_over(blocked_worker, false);
	slow = false;
	return taken;
}

static void
elsewhere_monitor(void)
{
	while (fg_load_acquire(&blocked) == NOWHERE)
		fg_carrier->pause();
	if (fg_load_acquire(&blocked) == OVER)
		return;
	for (unsigned made = 0; !take_over_slowly(); made++) {
		if (made < 3) /* the model has no more threads */
			fg_spare_make();
		fg_carrier->pause();
	}
	fg_spare_make();
	fg_store_release(&blocked, RELIEVED);
	while (fg_load_acquire(&blocked) == RELIEVED)
		fg_carrier->pause();
	fg_spare_take_over(blocked_worker, false);
	fg_store_release(&blocked, LOOKED);
	fg_carrier->wake(woken, 1);
}

static void
elsewhere_setup(void)
{
	static struct fg_carrier carrier;
	floor_setup();
	carrier = *fg_carrier;
	carrier.wake = elsewhere_wake;
	fg_carrier = &carrier;
}
MODEL_SCENARIO(spare_elsewhere, .setup = elsewhere_setup, .thread = {spare_elsewhere, elsewhere_monitor},
	       .broken = MODEL_BROKEN("drop current_is_spare:store_relaxed"));

/* A root has left its region and the runtime. A monitor that takes it for blocked there finds that it carries
 * nothing any more. */
static void
root_goes(void)
{
	root = floor_root(false);
	fg_store_release(&blocked, 1);
	flat_region(2, tell_body);
	fg_leave(&root->identity);
	model_point("the program's code");
}

static void
look_at_root(void)
{
	while (!fg_load_acquire(&blocked))
		fg_carrier->pause();
	fg_spare_take_over(fg_root_worker(root), false);
	fg_spare_make();
	for (unsigned i = 0; i < attempts; i++) {
		fg_carrier->pause();
		model_assert(!fg_spare_take_over(fg_root_worker(root), false));
	}
}
MODEL_SCENARIO(spare_root_goes, .setup = spare_setup_root, .thread = {root_goes, look_at_root},
	       .broken = MODEL_BROKEN("weaken fg_leave_unwatched:store_release", "weaken hold:fence_acquire"));

/* A thread leaves a barrier and then the runtime. Meanwhile an idle worker, which has asked for a member of the next
 * phase, seizes the crew. All threads may have passed the idle worker's fence while this thread was in the midst of
 * the barrier. The root is the only member that could be lent. */
#define SECOND_PHASE (2 << 16)

static void
barrier_behind_body(void *job, unsigned member)
{
	tell_body(job, member);
	struct fg_identity *self = fg_self();
	fg_dock_barrier(self);
	fg_leave(self);
	model_point("the program's code");
	fg_enter(self);
}

static void
leaves_barrier(void)
{
	root = floor_root(false);
	fg_store_release(&blocked, 1);
	flat_region(2, barrier_behind_body);
}

static void
seize_crew(void)
{
	while (!fg_load_acquire(&blocked))
		fg_carrier->pause();
	fg_store_relaxed(&fg_parts(fg_root_worker(root))->lend.wanted, SECOND_PHASE);
	for (unsigned i = 0; i < attempts; i++) {
		struct fg_identity *thread = fg_hold_begin(fg_root_worker(root));
		if (!thread)
			continue;
		fg_lend_answer(fg_root_worker(root), 1);
		fg_hold_end(thread);
	}
}

MODEL_SCENARIO(spare_seizes, .setup = spare_setup_root, .thread = {leaves_barrier, seize_crew},
	       .broken = MODEL_BROKEN("weaken fg_leave_unwatched:store_release", "weaken hold:fence_acquire",
				      "drop fg_hold_end:store_release"));
