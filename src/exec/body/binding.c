/* Binding (floor: exec): see binding.h. */
#define _GNU_SOURCE
#include "exec/body/binding.h"

#include <errno.h>
#include <sched.h>

#include "exec/body/seat.h"
#include "exec/ground/above.h"
#include "exec/ground/options.h"
#include "exec/thread/facts.h"
#include "exec/thread/levels.h"
#include "exec/thread/root_worker.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "platform/nearby.h"
#include "platform/sandbox.h"
#include "platform/system_call.h"
#include "share/own_set.h"

static void
rebind(struct fg_worker *worker, unsigned place)
{
	bool of_program = worker->home->root != NULL;
	worker->place = fg_exec_above.rebind(worker->place, place, &fg_parts(worker)->bound.program, of_program);
}

void
fg_binding_change(struct fg_worker *worker, unsigned place)
{
	assert(worker->place != place);
	if (!fg_seat_on) {
		rebind(worker, place);
		return;
	}
	worker->place = place;
	if (place)
		fg_seat_leave(worker);
	else
		fg_seat_take(worker);
}

void
fg_binding_follow(struct fg_identity *self)
{
	if (self->worker->place != self->place)
		fg_binding_change(self->worker, self->place);
}

unsigned
fg_binding_place(const struct fg_identity *self)
{
	return self->worker->place;
}

struct fg_cpuset *
fg_binding_program(const struct fg_identity *self)
{
	return &fg_parts(self->worker)->bound.program;
}

struct fg_identity *
fg_binding_self(void)
{
	struct fg_identity *self = fg_seat_on || fg_exec_options.binds ? fg_self() : NULL;
	if (!self || !self->worker)
		return NULL;
	return self->worker->carries || self->worker->place || fg_load_relaxed(&fg_parts(self->worker)->bound.level)
		       ? self
		       : NULL;
}

void
fg_binding_leave(struct fg_worker *worker)
{
	if (fg_seat_on)
		fg_seat_leave(worker);
	else if (worker->place)
		rebind(worker, 0);
}

void
fg_binding_renew(struct fg_worker *worker)
{
	assert(fg_worker_is_own(worker));
	unsigned place = worker->place;
	fg_parts(worker)->bound.returns =
		fg_load_acquire(&fg_all_workers.returns); /* before the set (share/own_set.h) */
	if (fg_seat_on) {
		fg_seat_take(worker);
		return;
	}
	if (!place)
		return;
	worker->place = FG_PLACE_NONE; /* the kernel may have narrowed the mask, or have given up the binding */
	rebind(worker, place);
}

struct fg_binding fg_binding;

/* The number that the operating system has for the PU of the worker's leaf; -1: the PU is made up. */
static int
pu_of(struct fg_worker *worker)
{
	const struct fg_runqueue *leaf = fg_worker_leaf(worker);
	return fg_cpuset_has(&fg_exec_options.cpus, leaf->cpu) ? (int)leaf->cpu : -1;
}

/* Where a worker of the pool belongs; -1: nowhere, because it is bound, or the root's. */
static int
own_pu_of(struct fg_worker *worker)
{
	return worker->slot && !worker->place ? pu_of(worker) : -1;
}

/* The monitor must not take the mask of a move for that of the program: it would keep the process on that PU. The
 * kernel thread belongs to the head.
 *
 *     Invariant: a mask that fg_binding_mask tells was not one of a move (base/sequence.h). The kernel sets and reads
 *     a mask under the lock of the thread. */
static void
move(struct fg_worker *worker, unsigned pu, int like)
{
	struct fg_sequence *moves = &fg_parts(fg_worker_head(worker))->bound.moves;
	fg_sequence_begin(moves);
	fg_nearby_go_to(pu, like);
	fg_sequence_end(moves);
}

bool
fg_binding_mask(struct fg_worker *worker, struct fg_cpuset *mask)
{
	const struct fg_sequence *moves = &fg_parts(worker)->bound.moves;
	uint32_t before = fg_sequence_read(moves);
	int tid = fg_worker_tid(worker);
	fg_cpuset_clear(mask);
	bool known = tid && fg_system_call_affinity(tid, sizeof *mask, (cpu_set_t *)mask) == 0;
	return known && fg_sequence_same(moves, before);
}

/* The thread of the program has the mask that the user gave the process, as a worker has, unless it has a seat. */
static void
go_to(struct fg_worker *worker, unsigned pu)
{
	const struct fg_root *root = worker->crew.root;
	move(worker, pu, root && !fg_seat_for_roots() ? fg_root_worker(root)->tid : 0);
}

static bool
root_is_at(const struct fg_worker *worker, int pu)
{
	const struct fg_root *root = worker->crew.root;
	return root && fg_load_relaxed(&fg_parts(fg_root_worker(root))->bound.pu) == (uint32_t)pu + 1;
}

void
fg_binding_lead(int tid, struct fg_worker *worker, const struct fg_cpuset *granted)
{
	struct fg_cpuset only;
	int own_pu = own_pu_of(worker);
	if (own_pu < 0 || !fg_cpuset_has(granted, (unsigned)own_pu) || !fg_sandbox_allows(FG_SANDBOX_PLACES))
		return;
	int saved = errno; /* of the thread that the caller carries */
	fg_cpuset_clear(&only);
	fg_cpuset_add(&only, (unsigned)own_pu);
	fg_system_call_bind(tid, sizeof only, (const cpu_set_t *)only.bits);
	errno = saved;
}

void
fg_binding_part(struct fg_worker *worker)
{
	assert(fg_worker_is_own(worker));
	int saved = errno; /* of the thread that runs here at the moment */
	int own_pu = own_pu_of(worker), here = own_pu < 0 ? -1 : fg_nearby_here();
	if (here >= 0 && here != own_pu) {
		go_to(worker, (unsigned)own_pu);
	} else if (here >= 0 && root_is_at(worker, here)) {
		int free = pu_of(fg_root_worker(worker->crew.root));
		if (free >= 0)
			go_to(worker, (unsigned)free);
	} else if (here >= 0) {
		fg_store_relaxed(&fg_binding.called_off, (uint32_t)here);
		fg_parts(worker)->bound.calls = fg_add_release(&fg_binding.calls, 1) + 1;
	}
	errno = saved;
}

static bool
is_on_node(struct fg_worker *worker, unsigned cpu)
{
	const struct fg_runqueue *node = fg_seat_node(fg_worker_leaf(worker));
	for (unsigned pu = node->first_pu; pu < node->first_pu + node->n_pus; pu++)
		if (fg_levels_leaf(pu)->cpu == cpu)
			return true;
	return false;
}

void
fg_binding_return(struct fg_worker *worker)
{
	assert(fg_worker_is_own(worker) && !fg_seat_on);
	int saved = errno; /* of the thread that runs here at the moment */
	int own_pu = fg_worker_rides(worker) || !fg_levels_are_deep() ? -1 : own_pu_of(worker);
	int here = own_pu < 0 ? -1 : fg_nearby_here();
	if (here >= 0 && !is_on_node(worker, (unsigned)here))
		go_to(worker, (unsigned)own_pu);
	errno = saved;
}

void
fg_binding_tell(struct fg_worker *worker)
{
	assert(fg_worker_is_own(worker) && worker->slot == 0);
	fg_store_relaxed(&fg_parts(worker)->bound.pu, (uint32_t)(fg_nearby_here() + 1));
}

void
fg_binding_join_set(struct fg_worker *worker)
{
	struct fg_worker *root = fg_worker_head(worker);
	struct fg_bound *bound = &fg_parts(root)->bound;
	assert(fg_worker_is_own(worker));
	if (!root->home->root || !fg_load_relaxed(&fg_own_set.company))
		return;
	int saved = errno, here = fg_nearby_here();
	if (fg_own_set_binds() && here >= 0 && !fg_own_set_has((unsigned)here) &&
	    bound->shared != FG_SEAT_SHARED_LONG && !fg_load_relaxed(&bound->left_alone) &&
	    fg_sandbox_allows(FG_SANDBOX_PLACES)) {
		move(root, fg_load_relaxed(&fg_own_set.own_pu), 0);
		here = fg_nearby_here();
	}
	fg_store_relaxed(&bound->pu, (uint32_t)(here + 1));
	errno = saved;
}

/* Two calls at a time: one of them may not be answered. The caller will call again if it is not alone then. */
static void
answer(struct fg_worker *worker)
{
	int saved = errno;
	fg_parts(worker)->bound.calls = fg_load_acquire(&fg_binding.calls);
	int own_pu = own_pu_of(worker), off = (int)fg_load_relaxed(&fg_binding.called_off);
	if (own_pu >= 0 && own_pu != off && fg_nearby_here() == off)
		go_to(worker, (unsigned)own_pu);
	errno = saved;
}

void
fg_binding_keep(struct fg_worker *worker)
{
	const struct fg_bound *bound = &fg_parts(worker)->bound;
	if (__builtin_expect(bound->returns != fg_load_relaxed(&fg_all_workers.returns), 0))
		fg_binding_renew(worker);
	if (__builtin_expect(bound->calls != fg_load_relaxed(&fg_binding.calls), 0))
		answer(worker);
	fg_seat_keep(worker);
}
