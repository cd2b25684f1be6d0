/* Births: members of nested regions come to life lazily (floor: exec).
 *
 * References. bubble.unfinished counts them, and begins with size: one for each member, the parent's included.
 *
 *     unfinished = members but the parent that have not ended + ended ones whose donor still looks at the bubble
 *                + references held for the parent
 *
 * A donor drops the references of the members that it ran when it stops looking at the bubble. The parent's reference
 * is dropped only once the parent is saved: by the donor that the parent switched to (assignment.parent_reference), or
 * by the callback of the parent's switch. So the count cannot become 0 before the parent can be resumed. The thread
 * that brings it to 0 resumes the parent, exactly once, and no flag is needed. A parent that is not suspended may go on
 * as soon as only its own reference is left. A thread may resume the parent to run tasks (rejoin.h). This thread first
 * adds a reference for the parent. It does so only where unfinished != 0; otherwise it does not resume the parent.
 *
 * Where the parent runs. A parent that is a docked member is not pinned from the publication to its join
 * (move/loosen.h).
 *
 * Lifetime. The bubble lies in the parent's team, and its life ends when the parent goes on. A worker that finds the
 * bubble on a runqueue touches it under the lock of this runqueue, and claims a member. So it holds a reference. After
 * it has dropped its references, it must not touch the bubble again.
 *
 * Gate (Dekker). A root that will publish outside of all regions counts itself, makes a full fence, then looks at
 * `shut`. The thread that shuts the gate stores `shut`, makes a full fence, then looks at the count. At least one of
 * the two sees the other, so they do not both go on. */
#include "exec/nested/birth.h"

#include <errno.h>
#include <limits.h>

#include "base/carrier.h"
#include "exec/body/alternate.h"
#include "exec/body/look.h"
#include "exec/body/switch.h"
#include "exec/donor/donor.h"
#include "exec/donor/donor_pool.h"
#include "exec/flat/dock.h"
#include "exec/grant/ride.h"
#include "exec/loop/look.h"
#include "exec/loop/loop.h"
#include "exec/loop/ready.h"
#include "exec/loop/work.h"
#include "exec/move/loosen.h"
#include "exec/pool/workers.h"
#include "exec/relief/spare.h"
#include "exec/thread/grain.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/levels.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "sched/haste.h"
#include "sched/home.h"
#include "sched/policy.h"

static struct {
	struct fg_atomic_u32 undocked;	       /* regions that have passed the gate and are in flight */
	struct fg_atomic_u32 shut;	       /* 1: the gate is shut */
	struct fg_atomic_u32 undocked_members; /* members of the undocked regions */
} gate;

bool
fg_births_shut(void)
{
	fg_store_relaxed(&gate.shut, 1);
	fg_fence_seq_cst();
	if (fg_load_acquire(&gate.undocked) == 0)
		return true;
	fg_births_open();
	return false;
}

void
fg_births_open(void)
{
	fg_store_release(&gate.shut, 0);
	fg_carrier->wake(&gate.shut, UINT_MAX);
}

void
fg_births_after_fork(void)
{
	fg_store_relaxed(&gate.undocked, 0);
	fg_store_relaxed(&gate.undocked_members, 0);
	fg_store_relaxed(&gate.shut, 0);
}

/* Passes the gate, and waits while it is shut. Returns the members of all undocked regions, these included. */
static unsigned
gate_enter(unsigned size)
{
	for (;;) {
		fg_add_acq_rel(&gate.undocked, 1);
		fg_fence_seq_cst();
		if (!fg_load_acquire(&gate.shut))
			return fg_add_relaxed(&gate.undocked_members, size) + size;
		fg_sub_acq_rel(&gate.undocked, 1);
		fg_carrier->wait(&gate.shut, 1, 0);
	}
}

static void
ask_for_workers(struct fg_identity *self, unsigned wanted)
{
	int saved = errno; /* the encountering thread's: the machine's tree is read from files */
	fg_levels_start();
	fg_levels_deepen();
	fg_workers_want(self, wanted);
	if (!(fg_load_relaxed(&fg_wanted) & FG_WANTED_DONORS))
		fg_or_acq_rel(&fg_wanted, FG_WANTED_DONORS);
	errno = saved;
}

/* Returns the thread of the program in whose region the caller is. */
static const void *
root_of(const struct fg_identity *self)
{
	if (self->root)
		return self->root;
	return self->crew_of ? self->crew_of->crew.root : self->entity.bubble->origin;
}

static struct fg_runqueue *
where_born(struct fg_identity *self, struct fg_bubble *bubble, struct fg_runqueue *leaf)
{
	struct fg_runqueue *own = fg_load_relaxed(&self->entity.range), *range = own ? own : self->worker->range;
	return fg_policy_born(bubble, range ? range : leaf, leaf);
}

/* The donor is made first, because the members need one in any case. The monitor may start after it, because nothing
 * waits for a PU before the bubble is published. */
static void
begin(struct fg_identity *self)
{
	if (__builtin_expect(!self->worker->donors.first, 0))
		fg_donor_reserve(self);
	fg_doorbell_start(self);
}

/* The members were dealt over another domain than that of the caller's seat (sched/home.c). */
static __attribute__((noinline)) void
follow(struct fg_identity *self, const struct fg_births *births)
{
	struct fg_runqueue *here = fg_worker_leaf(self->worker), *there = fg_home_follow(&births->bubble, here);
	void *nowhere = NULL;
	if (!self->pinned && there != here && fg_cas_release(&self->entity.sent, &nowhere, there))
		fg_worker_yield(self);
}

void
fg_births_publish(struct fg_identity *self, struct fg_births *births, unsigned size)
{
	unsigned wanted = births->width + fg_load_relaxed(&gate.undocked_members);
	births->parent = self;
	fg_float_hand_down(&births->environment);
	births->carried = self->worker->carries;
	if (__builtin_expect(!births->carried, 0)) {
		wanted = gate_enter(size) + fg_dock_slots();
		fg_bubble_expect(root_of(self));
	}
	/* From here on no shutdown begins, so a monitor that is awake does not end. */
	if (__builtin_expect(fg_load_relaxed(&fg_doorbell.monitor_awake) == 0, 0))
		begin(self);
	if (__builtin_expect(wanted > fg_load_relaxed(&fg_workers.asked), 0))
		ask_for_workers(self, wanted);
	struct fg_worker *worker = self->worker;
	assert(size > 1 && self == fg_self() && fg_load_stable(&self->in_runtime) && fg_worker_valid(worker));
	fg_worker_become(worker, FG_WORKER_CARRIES);
	fg_bubble_init(&births->bubble, size);
	if (__builtin_expect(!births->bubble.origin, 0))
		births->bubble.origin = root_of(self);
	unsigned wants = fg_policies_want_now();
	births->bubble.noted = wants & FG_WANTS_NOTES && births->number;
	if (births->bubble.noted) {
		fg_live_begin(&self->live, &self->entity, &worker->live, &births->bubble, births->number - 1);
		births->number = 0;
	}
	fg_rejoin_begin(&births->rejoin);
	fg_parts(worker)->statistics.regions++;
	if (wants & FG_WANTS_HOMES) {
		fg_grain_drop(self);
		births->met_before = fg_own_load_relaxed(&self->entity.met);
		fg_own_store_relaxed(&self->entity.met, &births->bubble);
	}
	births->loosens = false;
	if (self->pinned && fg_loosen(self, births->bubble.entity.bubble))
		births->loosens = true;
	if (wants & FG_WANTS_HOMES) {
		births->bubble.stays = self->root != NULL || (self->pinned && !births->loosens);
		fg_homes_staff(fg_load_relaxed(&fg_workers.asked));
	}
	struct fg_runqueue *queue = fg_worker_leaf(worker);
	assert(fg_births_valid(births) && fg_bubble_valid(&births->bubble) && births->bubble.born == 1);
	unsigned asks = wants & (FG_WANTS_BORN | FG_WANTS_REDISTRIBUTE);
	bool in_haste = true;
	if (__builtin_expect(asks & FG_WANTS_REDISTRIBUTE, 0)) {
		in_haste = fg_haste_begin();
		fg_runqueue_mark(queue, 0); /* it was 1 if nothing has run here before */
	}
	if (__builtin_expect(asks & FG_WANTS_BORN, 0))
		queue = where_born(self, &births->bubble, queue);
	if (__builtin_expect(queue != NULL, 1)) {
		fg_runqueue_push(queue, &births->bubble.entity);
		fg_wake_any(queue, births->bubble.origin);
	}
	fg_monitor_poke();
	fg_worker_renew_tick(worker);
	if (__builtin_expect(!in_haste, 0) && fg_load_relaxed(&fg_runqueue_idlers) &&
	    fgomp_queue_idle_pus(fg_levels_top()))
		fg_policy_redistribute(FGOMP_TEAM_BEGAN, fg_worker_leaf(worker));
	if (wants & FG_WANTS_HOMES && __builtin_expect(fg_home_of(&births->bubble).moved, 0))
		follow(self, births);
}

/* A parent that is pinned elsewhere becomes ready there. Else it goes on here, and the donor goes to the pool. */
static void
resume_parent(struct fg_identity *self, struct fg_identity *parent)
{
	assert(parent != self && fg_identity_valid(parent) && !fg_load_stable(&parent->entity.holder) &&
	       !parent->park.on);
	if (parent->pinned && parent->pinned != self->worker)
		fg_worker_ready(parent);
	else {
		fg_worker_bind(self->worker, parent);
		fg_worker_switch(self, parent, fg_donor_pool_put, self);
	}
}

/* The worker's docked thread may go on. It goes before members that are not born yet. */
static bool
more_urgent(struct fg_worker *worker)
{
	return worker->wait.docked && worker->wait.ready(worker);
}

/* A publication wakes one worker. A worker that has come for a member wakes the next. The holder is read as a hint. It
 * is not freed meanwhile, because the caller's reference keeps the bubble and those around it, and runqueues stay. */
static void
wake_next(struct fg_bubble *bubble)
{
	struct fg_holder *holder = fg_load_relaxed(&bubble->entity.holder);
	if (holder && !holder->bubble)
		fg_wake_any(fg_holder_runqueue(holder), bubble->origin);
}

/* The first member that the caller runs. All others that it runs of this bubble have the same level, because the bubble
 * hardly ever moves meanwhile. */
static inline unsigned
claim_first(struct fg_identity *self, struct fg_bubble *bubble)
{
	struct fg_claimed claimed = fg_bubble_claim(bubble);
	fg_store_relaxed(&self->entity.level, fg_worker_level_for(self->worker, claimed.queue));
	return claimed.member;
}

/* The caller drops references of members that are over, or the parent's reference. Returns the references that are
 * left. */
static uint32_t
left_after(struct fg_bubble *bubble, uint32_t references)
{
	uint32_t before = fg_sub_acq_rel(&bubble->unfinished, references);
	assert(before >= references);
	return before - references;
}

void
fg_births_run(struct fg_identity *self, struct fg_bubble *bubble)
{
	struct fg_births *births = (struct fg_births *)((char *)bubble - offsetof(struct fg_births, bubble));
	unsigned ran = 0, all = bubble->size - 1, last = 0, notes = fg_policies_want_now() & FG_WANTS_NOTES;
	unsigned member = self->assignment.member, parent_reference = self->assignment.parent_reference;
	struct fg_runqueue *range = self->assignment.range;
	assert(self == fg_self() && self->kind == FG_DONOR && !self->pinned && fg_births_valid(births));
	assert((member || parent_reference) && member <= all && parent_reference <= 1 &&
	       fg_load_stable(&bubble->unfinished) > 0);
	if (!member) {
		member = claim_first(self, bubble);
	} else {
		fg_store_relaxed(&self->entity.level, self->assignment.level);
		wake_next(bubble);
	}
	fg_store_relaxed(&self->entity.range, range ? range : fg_worker_leaf(self->worker));
	self->entity.bubble = bubble;
	fg_worker_renew_tick(self->worker);
	self->served++;
	if (member)
		fg_float_inherit(&births->environment);
	while (member) {
		assert(member < bubble->size && self->entity.bubble == bubble && fg_worker_is_own(self->worker));
		self->entity.number = member;
		if (notes)
			fg_live_member_begin(&self->live, &self->entity, bubble, member);
		fg_grain_begin(self, bubble);
		births->body(births->job, member);
		fg_grain_end(self, bubble, false);
		uint32_t mxcsr = fg_float_mxcsr();
		if (__builtin_expect(self->signals.follows & FG_ALTERNATE_OWN, 0))
			fg_alternate_forget(self);
		ran++;
		last = member;
		fg_worker_look(self);
		member = more_urgent(self->worker) ? 0 : fg_bubble_claim(bubble).member;
		if (member)
			fg_float_inherit_again(&births->environment, mxcsr);
	}
	if (notes)
		fg_live_member_end(&self->live, &self->entity);
	struct fg_identity *parent = births->parent;
	unsigned references = ran + parent_reference;
	fg_parts(self->worker)->statistics.births += ran;
	if (ran)
		fg_rejoin_note(self, births, last);
	/* If this donor ran all other members and holds the parent's reference, only a thread that comes for tasks can
	 * touch the count. */
	bool alone = parent_reference && ran == all && !fg_rejoin_is_open(&births->rejoin);
	assert(ran <= all && self->kind == FG_DONOR && self->worker->carries);
	if (alone || (references && left_after(bubble, references) == 0))
		resume_parent(self, parent);
}

static void
drop_parent_reference(void *arg)
{
	struct fg_births *births = arg;
	struct fg_identity *parent = births->parent;
	assert(parent != fg_self() && fg_births_valid(births));
	fg_rejoin_note(parent, births, 0);
	if (left_after(&births->bubble, 1) == 0)
		fg_worker_ready(parent);
}

#define JOIN_SPINS 32

/* Work on a level above the PU is left to idle PUs for as long as the join spins. If the parent took a member of
 * another team, that member would have the PU for some phases. The parent would wait for this PU, though another one
 * is idle. (Not inlined, because a join that does not wait would save more registers.) */
static __attribute__((noinline)) bool
has_work_of_its_own(struct fg_worker *worker)
{
	return fg_worker_has_work(worker) && !fg_worker_work_is_shared(worker);
}

/* If a member may be unborn, the parent switches to a donor that runs it, and hands its reference over. Else it waits
 * until only its own reference is left: it spins, then it is suspended. */
static void
join(struct fg_identity *self, struct fg_births *births)
{
	struct fg_bubble *bubble = &births->bubble;
	assert(self == births->parent && self == fg_self() && fg_load_stable(&bubble->unfinished) > 0);
	bool has_donor = __builtin_expect(self->worker->donors.first != NULL, 1) || fg_donor_reserve(self);
	if (has_donor && fg_load_relaxed(&bubble->entity.holder)) {
		struct fg_identity *donor = fg_donor_pool_get(self->worker);
		donor->assignment = (struct fg_assignment){.bubble = &births->bubble, .parent_reference = 1};
		fg_rejoin_note(self, births, 0);
		fg_worker_switch(self, donor, NULL, NULL);
		return;
	}
	for (unsigned i = 0; fg_load_acquire(&bubble->unfinished) != 1; i++) {
		if (i >= JOIN_SPINS || has_work_of_its_own(self->worker)) {
			fg_worker_can_leave(self); /* it makes a donor */
			if (fg_worker_try_leave(self, false, drop_parent_reference, births))
				return;
			fg_worker_give_way(self);
			continue;
		}
		fg_ride_pause(self->worker, false);
	}
}

void
fg_births_join(struct fg_identity *self, struct fg_births *births)
{
	assert(self == fg_self() && fg_lock_order_none("joins with"));
	fg_grain_drop(self);
	if (__builtin_expect(births->loosens, 0))
		fg_loosen_fasten(self);
	struct fg_runqueue *seat = NULL;
	if (__builtin_expect(fg_load_relaxed(&births->bubble.home) && self->pinned, 0)) {
		seat = fg_worker_leaf(self->pinned);
		fg_store_relaxed(&seat->awaits, 1);
	}
	do
		join(self, births);
	while (fg_rejoin_ran(self, births));
	if (__builtin_expect(seat != NULL, 0))
		fg_store_relaxed(&seat->awaits, 0);
	if (fg_own_load_relaxed(&self->entity.met) == &births->bubble)
		fg_own_store_relaxed(&self->entity.met, births->met_before);
	assert(fg_births_valid(births) && fg_bubble_is_empty(&births->bubble) &&
	       !fg_load_stable(&births->bubble.entity.holder));
	if (__builtin_expect(self->pinned && self->worker != self->pinned, 0))
		fg_loosen_come_home(self);
	fg_worker_look(self);
}

void
fg_births_leave_slow(struct fg_identity *self, struct fg_births *births)
{
	if (fg_load_relaxed(&self->worker->spare) != NULL)
		fg_spare_settle(self);
	if (fg_worker_rides(self->worker))
		fg_ride_put_off(self->worker);
	assert(self->root && fg_worker_valid(self->worker));
	assert(fg_load_stable(&gate.undocked) > 0 && fg_load_stable(&gate.undocked_members) >= births->bubble.size);
	fg_worker_become(self->worker, FG_WORKER_OUTSIDE);
	fg_add_relaxed(&gate.undocked_members, -births->bubble.size);
	fg_sub_acq_rel(&gate.undocked, 1);
}
