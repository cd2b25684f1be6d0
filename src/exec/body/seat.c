/* Seat (floor: exec): see seat.h.
 *
 * bound.level is the level to which the kernel thread is bound; NULL: to none, so it has the program's mask.
 * bound.program is the program's mask while bound.level is set. A user may set the masks of all threads at any time
 * (taskset -ap). If the mask is not the seat's any more, it is the user's new one. If it is, the user may have set just
 * this mask. Then the mask of the process tells, which the monitor publishes. A bind that the kernel refuses is given
 * up.
 *
 * Where the runtime binds threads to places there are no seats. Then team/places/bind.c and libc/children.c write
 * bound.program. */
#include "exec/body/seat.h"

#include <errno.h>

#include "base/carrier.h"
#include "exec/ground/options.h"
#include "exec/thread/levels.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "platform/sandbox.h"
#include "platform/system_call.h"

bool fg_seat_on;
static struct {
	struct fg_atomic_u64 mask[FG_CPUSET_WORDS]; /* since it first changed */
	struct fg_atomic_u32 changes;
	bool known; /* monitor only */
} process;

static bool
mask_get(struct fg_cpuset *mask)
{
	fg_cpuset_clear(mask);
	return fg_system_call_affinity(0, sizeof *mask, (cpu_set_t *)mask) == 0;
}

static bool
mask_set(const struct fg_cpuset *mask)
{
	return fg_system_call_bind(0, sizeof *mask, (const cpu_set_t *)mask) == 0;
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

FG_READS_HINTS bool
fg_seat_is(const struct fg_worker *worker, const struct fg_cpuset *mask)
{
	const struct fg_runqueue *level = fg_load_relaxed(&fg_parts(worker)->bound.level);
	if (!level)
		return false;
	struct fg_cpuset cpus;
	cpus_of(level, &fg_parts(worker)->bound.program, &cpus);
	return fg_cpuset_equal(&cpus, mask);
}

/* Learns the program's mask of the caller's kernel thread, and returns the present one. False: it is not known. */
static bool
learn(struct fg_worker *worker, struct fg_cpuset *now)
{
	if (!mask_get(now))
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

/* If there is no room at all, the kernel has the whole machine to deal turns fairly. */
static struct fg_runqueue *
level_for(struct fg_worker *worker)
{
	struct fg_runqueue *level = fg_worker_leaf(worker);
	while (fg_parts(worker)->bound.shared && fg_runqueue_parent(level)) {
		level = fg_runqueue_parent(level);
		if (has_room_within(level, &fg_parts(worker)->bound.program))
			break;
	}
	return level;
}

static bool
may_sit(struct fg_worker *worker)
{
	return fg_seat_on && worker->slot != 0 && !worker->home->root && worker->carries &&
	       !fg_parts(worker)->bound.left_alone && !worker->place && fg_worker_head(worker) == worker &&
	       fg_sandbox_allows(FG_SANDBOX_PLACES);
}

/* A mask that the kernel narrows or refuses is no seat. The mask lies in a frame of its own, because a member's stack
 * may be small. */
__attribute__((noinline)) static bool
sit_on(const struct fg_runqueue *level, const struct fg_cpuset *program, const struct fg_cpuset *now)
{
	struct fg_cpuset cpus;
	cpus_of(level, program, &cpus);
	return fg_cpuset_count(&cpus) != 0 && !fg_cpuset_equal(&cpus, program) &&
	       (fg_cpuset_equal(&cpus, now) || mask_set(&cpus));
}

static void
sit(struct fg_worker *worker)
{
	struct fg_cpuset now;
	if (!learn(worker, &now))
		return;
	const struct fg_cpuset *program = &fg_parts(worker)->bound.program;
	struct fg_runqueue *level = level_for(worker);
	bool seated = fg_cpuset_has(program, fg_worker_leaf(worker)->cpu) && sit_on(level, program, &now);
	if (!seated && !fg_cpuset_equal(&now, program))
		mask_set(program);
	assert(!seated || (fg_worker_leaf(worker)->first_pu - level->first_pu < level->n_pus));
	fg_store_relaxed(&fg_parts(worker)->bound.level, seated ? level : NULL);
}

void
fg_seat_take(struct fg_worker *worker)
{
	int saved = errno; /* of the thread that runs here at the moment */
	assert(fg_worker_is_own(worker));
	fg_parts(worker)->bound.seat = fg_worker_leaf(worker);
	if (may_sit(worker))
		sit(worker);
	errno = saved;
}

void
fg_seat_keep_slow(struct fg_worker *worker)
{
	if (fg_parts(worker)->bound.seat != fg_worker_leaf(worker))
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
fg_seat_share(struct fg_worker *worker, bool shared)
{
	if (fg_parts(worker)->bound.shared == shared)
		return;
	fg_parts(worker)->bound.shared = shared;
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
		mask_set(&fg_parts(worker)->bound.program);
		fg_store_relaxed(&fg_parts(worker)->bound.level, NULL);
	}
	errno = saved;
}

void
fg_seat_forget(struct fg_worker *worker)
{
	fg_store_relaxed(&fg_parts(worker)->bound.level, NULL);
	fg_parts(worker)->bound.seat = NULL;
	fg_parts(worker)->bound.left_alone = fg_parts(worker)->bound.shared = false;
}

bool
fg_seat_mask(struct fg_cpuset *mask)
{
	struct fg_identity *self = fg_self();
	if (!fg_seat_on)
		return fg_cpuset_affinity(mask);
	bool inside =
		fg_enter_again(self); /* before the look: the caller may come back to another kernel thread here */
	struct fg_worker *worker = self ? fg_worker_head(self->worker) : NULL;
	bool known = mask_get(mask);
	if (known && worker && self->worker->carries && fg_seat_is(worker, mask))
		*mask = fg_parts(worker)->bound.program;
	fg_leave_again(self, inside);
	return known;
}

int
fg_seat_set_mask(struct fg_worker *worker, size_t size, const void *mask)
{
	int error = fg_system_call_bind(0, size, mask);
	worker = fg_worker_head(worker);
	if (error == 0 && worker->slot != 0 && worker->carries) {
		fg_store_relaxed(&fg_parts(worker)->bound.level, NULL);
		fg_parts(worker)->bound.left_alone = true;
	}
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
