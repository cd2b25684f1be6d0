/* Seat (floor: exec): see seat.h.
 *
 * bound.level is the level to which the kernel thread is bound; NULL: to none, so it has the program's mask.
 * bound.cpus is the mask of the seat, and bound.program the program's, while bound.level is set. A user may set the
 * masks of all threads at any time (taskset -ap). If the mask is not the seat's any more, it is the user's new one. If
 * it is, the user may have set just this mask. Then the mask of the process tells, which the monitor publishes. A bind
 * that the kernel refuses is given up.
 *
 * Two write the mask of a kernel thread that has a seat: the thread itself, and the monitor, which loosens it.
 * Invariant:
 *
 *     the last mask that a member has set stays:  left_alone == 1 after its call  =>  no write of ours comes later
 *
 * Proof. A member stores left_alone, makes a fence, and waits while fg_seats.loosening is its worker. The monitor
 * stores its worker there, makes a fence, and writes only if left_alone is 0. So either the monitor sees left_alone, or
 * the member waits until the monitor has written. The member's own writes are in order. Where both writers are ours,
 * either order is right: the monitor restores the mask of the process. Seats that it may loosen are only taken where
 * that is the program's mask (is_ours). A worker that sits down reads its mask after `loosened`, and the monitor writes
 * them in the other order. So if the seat is lost all the same, `loosened` is set, and the worker sits down again.
 *
 * A root that sits stores bound.level, makes a fence, and wakes the monitor if that is asleep. The monitor stores that
 * it is asleep, makes a fence, and reads the levels of all roots (fg_solitude_nap). So it never sleeps for ever while a
 * root has a seat.
 *
 * Where the runtime binds threads to places there are no seats. Then team/places/bind.c and libc/children.c write
 * bound.program. */
#include "exec/body/seat.h"

#include <errno.h>

#include "base/carrier.h"
#include "exec/ground/options.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/levels.h"
#include "exec/thread/root_state.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "platform/sandbox.h"
#include "platform/system_call.h"
#include "share/own_set.h"

bool fg_seat_on;
struct fg_seats fg_seats;
static struct {
	struct fg_atomic_u64 mask[FG_CPUSET_WORDS]; /* since it first changed */
	struct fg_atomic_u32 changes;
	bool known; /* monitor only */
} process;

static bool
mask_get(int tid, struct fg_cpuset *mask)
{
	fg_cpuset_clear(mask);
	return fg_system_call_affinity(tid, sizeof *mask, (cpu_set_t *)mask) == 0;
}

static bool
mask_set(int tid, const struct fg_cpuset *mask)
{
	return fg_system_call_bind(tid, sizeof *mask, (const cpu_set_t *)mask) == 0;
}

/* The PUs of a level, as far as the mask has them. */
static void
cpus_of(const struct fg_runqueue *level, const struct fg_cpuset *within, struct fg_cpuset *cpus)
{
	fg_cpuset_clear(cpus);
	for (unsigned pu = level->first_pu; pu < level->first_pu + level->n_pus; pu++) {
		unsigned cpu = fg_levels_leaf(pu)->cpu;
		if (fg_cpuset_has(within, cpu))
			fg_cpuset_add(cpus, cpu);
	}
}

/* While a kernel thread goes from seat to seat, its mask may be either. So it counts as one. */
FG_READS_HINTS bool
fg_seat_is(const struct fg_worker *worker, const struct fg_cpuset *mask)
{
	const struct fg_bound *bound = &fg_parts(worker)->bound;
	bool is = fg_load_acquire(&bound->level) && fg_cpuset_equal(&bound->cpus, mask);
	return is || fg_load_acquire(&bound->moving);
}

bool
fg_seat_is_narrow(const struct fg_worker *worker)
{
	const struct fg_runqueue *level = fg_load_relaxed(&fg_parts(worker)->bound.level);
	return fg_seats.placed || (level && level->n_pus == 1);
}

/* Learns the program's mask of the caller's kernel thread, and returns the present one. False: it is not known. */
static bool
learn(struct fg_worker *worker, struct fg_cpuset *now)
{
	if (!mask_get(0, now))
		return false;
	uint32_t changes = fg_load_acquire(&process.changes);
	if (!fg_seat_is(worker, now))
		fg_parts(worker)->bound.program = *now;
	else if (fg_parts(worker)->bound.changes != changes)
		for (unsigned i = 0; i < FG_CPUSET_WORDS; i++)
			fg_parts(worker)->bound.program.bits[i] = fg_load_relaxed(&process.mask[i]);
	fg_parts(worker)->bound.changes = changes;
	return true;
}

/* A PU has room if no worker of ours that is awake has it for its own. */
FG_READS_HINTS static bool
has_room(const struct fg_runqueue *leaf)
{
	FG_EACH_WORKER (other)
		if (other->carries && fg_worker_leaf(other) == leaf && !fg_load_relaxed(&other->asleep))
			return false;
	return true;
}

static bool
has_room_within(const struct fg_runqueue *level, const struct fg_cpuset *within)
{
	for (unsigned pu = level->first_pu; pu < level->first_pu + level->n_pus; pu++)
		if (fg_cpuset_has(within, fg_levels_leaf(pu)->cpu) && has_room(fg_levels_leaf(pu)))
			return true;
	return false;
}

struct fg_runqueue *
fg_seat_node(struct fg_runqueue *leaf)
{
	struct fg_runqueue *level = leaf;
	while (!(level->kinds & 1u << FG_NUMA_NODE) && fg_runqueue_parent(level))
		level = fg_runqueue_parent(level);
	return level;
}

/* The worker is bound to the set of the process, as all those of the pool that keep their kernel threads. */
static bool
is_in_set(const struct fg_worker *worker)
{
	return fg_own_set_binds() && !fg_seats.placed && !worker->home->root &&
	       fg_parts(worker)->bound.shared != FG_SEAT_SHARED_LONG;
}

/* The mask of the seat: those PUs of the node that are in the set. It is the whole set where another program shares the
 * PU, or where one PU would be left, because no worker has a PU of its own in a set. */
static void
choose_cpus(struct fg_worker *worker, const struct fg_runqueue *level)
{
	struct fg_bound *bound = &fg_parts(worker)->bound;
	cpus_of(level, &bound->program, &bound->cpus);
	if (!is_in_set(worker))
		return;
	fg_own_set_narrow(&bound->cpus);
	if (bound->shared || fg_cpuset_count(&bound->cpus) < 2) {
		bound->cpus = bound->program;
		fg_own_set_narrow(&bound->cpus);
	}
	if (fg_cpuset_count(&bound->cpus) < 2)
		cpus_of(level, &bound->program, &bound->cpus);
}

/* The node of the set's own PU. A root sits there, as it sits on the node of its leaf where there is no set. */
static struct fg_runqueue *
node_of_set(void)
{
	unsigned own_pu = fg_load_relaxed(&fg_own_set.own_pu), pu = 0;
	while (pu < fg_exec_options.n_pus && fg_levels_leaf(pu)->cpu != own_pu)
		pu++;
	return fg_seat_node(fg_levels_leaf(pu % fg_exec_options.n_pus));
}

/* If there is no room at all, the kernel has the whole machine to deal turns fairly. Without a policy that places, a
 * worker keeps its node where others come and go there. */
static struct fg_runqueue *
level_for(struct fg_worker *worker)
{
	struct fg_runqueue *level = fg_worker_leaf(worker);
	enum fg_seat_shared shared = fg_parts(worker)->bound.shared;
	if (worker->home->root && fg_own_set_binds())
		return shared == FG_SEAT_SHARED_LONG ? fg_levels_top() : node_of_set();
	if (!fg_seats.placed && shared == FG_SEAT_SHARED_LONG)
		return fg_levels_top();
	if (!fg_seats.placed)
		return fg_load_relaxed(&fg_seats.alone) && !shared && !is_in_set(worker) ? level : fg_seat_node(level);
	while (shared && fg_runqueue_parent(level)) {
		level = fg_runqueue_parent(level);
		if (has_room_within(level, &fg_parts(worker)->bound.program))
			break;
	}
	return level;
}

/* The thread of the program has a layout with PUs of its own, and is on its own kernel thread. */
static bool
root_may_sit(const struct fg_worker *worker)
{
	const struct fg_root *root = worker->home->root;
	return fg_load_relaxed(&root->dock.owner) == root && root->size && root->slots > 1 &&
	       !fg_load_relaxed(&worker->spare);
}

/* The levels below the machine must not come later, because leaves have other PUs then. */
static bool
may_sit(struct fg_worker *worker)
{
	return fg_seat_on && worker->carries && !fg_load_relaxed(&fg_parts(worker)->bound.left_alone) &&
	       !worker->place && fg_worker_head(worker) == worker && (fg_seats.placed || fg_levels_are_deep()) &&
	       (worker->home->root ? root_may_sit(worker) : worker->slot != 0) && fg_sandbox_allows(FG_SANDBOX_PLACES);
}

/* The monitor may take the seat away, so the program's mask must be that of the process. */
static bool
is_ours(const struct fg_worker *worker)
{
	return (fg_seats.placed && !worker->home->root) ||
	       fg_cpuset_equal(&fg_parts(worker)->bound.program, &fg_exec_options.cpus);
}

/* A mask that the kernel narrows or refuses is no seat. */
static void
sit_on(struct fg_worker *worker, struct fg_runqueue *level, const struct fg_cpuset *now)
{
	struct fg_bound *bound = &fg_parts(worker)->bound;
	fg_store_relaxed(&bound->moving, 1);
	fg_store_release(&bound->level, NULL);
	choose_cpus(worker, level);
	bool sits = fg_cpuset_count(&bound->cpus) != 0 && !fg_cpuset_equal(&bound->cpus, &bound->program) &&
		    (fg_cpuset_equal(&bound->cpus, now) || mask_set(0, &bound->cpus));
	if (sits)
		fg_store_release(&bound->level, level);
	else if (!fg_cpuset_equal(now, &bound->program))
		mask_set(0, &bound->program);
	fg_store_release(&bound->moving, 0);
}

static void
sit(struct fg_worker *worker)
{
	struct fg_cpuset now;
	if (!learn(worker, &now))
		return;
	struct fg_bound *bound = &fg_parts(worker)->bound;
	struct fg_runqueue *level = level_for(worker);
	bool follows = worker->home->root && fg_own_set_binds();
	unsigned cpu = follows ? fg_levels_leaf(level->first_pu)->cpu : fg_worker_leaf(worker)->cpu;
	assert(follows || fg_worker_leaf(worker)->first_pu - level->first_pu < level->n_pus);
	if (is_ours(worker) && fg_cpuset_has(&bound->program, cpu)) {
		sit_on(worker, level, &now);
	} else {
		if (!fg_cpuset_equal(&now, &bound->program))
			mask_set(0, &bound->program);
		fg_store_relaxed(&bound->level, NULL);
	}
	if (worker->home->root) {
		fg_fence_seq_cst();
		fg_monitor_poke();
	}
}

/* Other programs are active, and the process has no set for the moment. A root stays where it is: all programs would
 * have theirs on the first node otherwise. */
static bool
waits_for_set(const struct fg_worker *worker)
{
	return worker->home->root && fg_load_relaxed(&fg_own_set.company) && !fg_own_set_binds() &&
	       root_may_sit(worker);
}

void
fg_seat_take(struct fg_worker *worker)
{
	int saved = errno; /* of the thread that runs here at the moment */
	struct fg_bound *bound = &fg_parts(worker)->bound;
	assert(fg_worker_is_own(worker));
	bool may = may_sit(worker);
	fg_exchange_acquire(&bound->loosened, 0); /* before the look at the mask */
	if (waits_for_set(worker)) {
		bound->seat = fg_worker_leaf(worker);
		return;
	}
	bound->seat = may || !worker->home->root ? fg_worker_leaf(worker) : NULL;
	if (may)
		sit(worker);
	else if (worker->home->root && !fg_load_relaxed(&worker->spare))
		fg_seat_leave(worker);
	errno = saved;
}

void
fg_seat_take_root(struct fg_worker *worker)
{
	struct fg_bound *bound = &fg_parts(worker)->bound;
	assert(worker->home->root && worker->carries);
	bound->returns = fg_load_acquire(&fg_all_workers.returns); /* before the set (share/own_set.h) */
	if (fg_seat_for_roots() || fg_load_relaxed(&bound->level))
		fg_seat_take(worker);
	else
		bound->seat = fg_worker_leaf(worker);
}

void
fg_seat_keep_slow(struct fg_worker *worker)
{
	const struct fg_bound *bound = &fg_parts(worker)->bound;
	if (bound->seat != fg_worker_leaf(worker) || fg_load_relaxed(&bound->loosened))
		fg_seat_take(worker);
}

void
fg_seat_change(struct fg_worker *worker)
{
	assert(fg_worker_is_own(worker));
	fg_and_acq_rel(&worker->notice, (uint32_t)~FG_NOTICE_MOVE);
	fg_worker_sit(worker);
	fg_seat_keep(worker);
}

void
fg_seat_share(struct fg_worker *worker, enum fg_seat_shared shared)
{
	if (fg_parts(worker)->bound.shared == shared)
		return;
	fg_parts(worker)->bound.shared = shared;
	if (fg_seat_for_roots())
		fg_seat_take(worker);
}

void
fg_seat_leave(struct fg_worker *worker)
{
	struct fg_cpuset now;
	int saved = errno;
	worker = fg_worker_head(worker);
	fg_parts(worker)->bound.seat = NULL;
	if (fg_load_relaxed(&fg_parts(worker)->bound.level) && learn(worker, &now)) {
		mask_set(0, &fg_parts(worker)->bound.program);
		fg_store_relaxed(&fg_parts(worker)->bound.level, NULL);
	}
	errno = saved;
}

void
fg_seat_forget(struct fg_worker *worker)
{
	struct fg_bound *bound = &fg_parts(worker)->bound;
	fg_store_relaxed(&bound->level, NULL);
	fg_store_relaxed(&bound->left_alone, 0);
	bound->seat = NULL;
	bound->shared = FG_SEAT_OWN;
	fg_store_relaxed(&bound->moving, 0);
}

/* The mask lies in a frame of its own, because a member's stack may be small. */
__attribute__((noinline)) FG_READS_HINTS static bool
has_seat(const struct fg_worker *worker, int tid)
{
	struct fg_cpuset mask;
	return tid && mask_get(tid, &mask) && fg_seat_is(worker, &mask);
}

void
fg_seat_end_of_root(struct fg_worker *worker)
{
	assert(worker->home->root);
	if (has_seat(worker, worker->tid))
		mask_set(worker->tid, &fg_parts(worker)->bound.program);
	fg_store_relaxed(&fg_parts(worker)->bound.level, NULL);
	fg_parts(worker)->bound.seat = NULL;
}

FG_READS_HINTS void
fg_seat_loosen(struct fg_worker *worker)
{
	struct fg_bound *bound = &fg_parts(worker)->bound;
	int tid = worker->tid;
	fg_store_relaxed(&fg_seats.loosening, worker);
	fg_fence_seq_cst();
	if (!fg_load_relaxed(&bound->left_alone) && has_seat(worker, tid)) {
		mask_set(tid, &fg_exec_options.cpus);
		fg_store_release(&bound->loosened, 1);
	}
	fg_store_release(&fg_seats.loosening, NULL);
}

bool
fg_seat_mask(struct fg_cpuset *mask)
{
	struct fg_identity *self = fg_self();
	if (!fg_seat_on)
		return fg_cpuset_affinity(mask);
	bool inside =
		fg_enter_again(self); /* before the look: the caller may come back to another kernel thread here */
	struct fg_worker *worker = self && self->worker ? fg_worker_head(self->worker) : NULL;
	bool known = mask_get(0, mask);
	if (known && worker && fg_seat_is(worker, mask))
		*mask = fg_parts(worker)->bound.program;
	fg_leave_again(self, inside);
	return known;
}

FG_READS_HINTS bool
fg_seat_hide(int tid, struct fg_cpuset *mask)
{
	FG_EACH_WORKER (worker)
		if (worker->tid == tid && fg_seat_is(worker, mask)) {
			*mask = fg_parts(worker)->bound.program;
			return true;
		}
	return false;
}

FG_READS_HINTS void
fg_seat_see_through(const struct fg_worker *worker, struct fg_cpuset *mask)
{
	if (fg_seat_is(worker, mask))
		*mask = fg_parts(worker)->bound.program;
}

/* The word comes first, see above. The monitor needs some microseconds. */
int
fg_seat_set_mask(struct fg_worker *worker, size_t size, const void *mask)
{
	worker = fg_worker_head(worker);
	struct fg_bound *bound = &fg_parts(worker)->bound;
	uint32_t before = fg_load_relaxed(&bound->left_alone);
	fg_store_relaxed(&bound->left_alone, 1);
	fg_fence_seq_cst();
	while (fg_load_acquire(&fg_seats.loosening) == worker)
		fg_carrier->pause();
	int error = fg_system_call_bind(0, size, mask);
	if (error == 0)
		fg_store_relaxed(&bound->level, NULL);
	else
		fg_store_relaxed(&bound->left_alone, before);
	return error;
}

void
fg_seat_mask_of_process(const struct fg_cpuset *mask)
{
	bool changed = false;
	for (unsigned i = 0; i < FG_CPUSET_WORDS; i++) {
		changed |= fg_load_relaxed(&process.mask[i]) != mask->bits[i];
		fg_store_relaxed(&process.mask[i], mask->bits[i]);
	}
	if (changed && process.known)
		fg_add_release(&process.changes, 1);
	process.known = true;
}
