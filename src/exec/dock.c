/* Dock: fork, barrier and join of flat teams (floor: exec; design D4).
 *
 * Phases. Every barrier and the end of a region is a phase; phases are numbered through, over all regions of all roots. Each worker
 * publishes on its own line the last phase its crew has completed and reads the lines of the others: nobody else writes that line,
 * there is no central counter, nothing is reset. A release store of the line follows all that the crew did in program order, and
 * an acquire load of it precedes all that the reader does next: so a barrier orders the whole team.
 *
 * Fork. The line holds body, job and layout; the epoch, stored last with release, carries (first phase << 16 | workers taking part).
 * A worker that takes part reads the line after its acquire load of the epoch; the master does not write it again before that
 * worker's end phase. A worker that does not take part reads the epoch only.
 *
 * Sleep. Whoever stores an epoch or a phase then makes a full fence and looks for sleepers (idle.c has the proof).
 *
 * The owner of the dock is the root whose region is in flight; the next root's compare-and-swap acquires what its release left. */
#include "exec/dock.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "exec/birth.h"
#include "exec/machine.h"
#include "exec/monitor.h"
#include "exec/options.h"
#include "exec/spare.h"
#include "exec/start.h"

#define SLOTS_MAX 0xffffu

static struct {
	_Alignas(128) struct fg_atomic_u64 epoch;
	void (*body)(void *job, unsigned member);
	void *job;
	struct fg_root *root;
	_Alignas(128) struct fg_atomic_ptr owner;
	uint64_t base; /* last phase of the last region; owner only */
	uint64_t layouts;
	unsigned n_slots; /* workers there are, the root's included */
	struct fg_worker **slot; /* [0]: the owner's */
} dock;

/* Waits of a docked thread: worker->cross_* say for whose phase. */
static bool
crossed(struct fg_worker *worker)
{
	while (worker->cross_next < worker->cross_end) {
		if (fg_load_acquire(&dock.slot[worker->cross_next]->phase) < worker->cross_phase)
			return false;
		worker->cross_next++;
	}
	return true;
}

static bool
forked(struct fg_worker *worker)
{
	uint64_t epoch = fg_load_acquire(&dock.epoch);
	if (epoch == worker->epoch)
		return false;
	if (worker->slot >= (epoch & SLOTS_MAX)) {
		worker->epoch = epoch;
		return false;
	}
	return true;
}

static void
wake_slots(unsigned from, unsigned slots)
{
	fg_fence_seq_cst();
	if (__builtin_expect(fg_load_relaxed(&fg_idle_sleepers) == 0, 1))
		return;
	for (unsigned i = from; i < slots; i++)
		fg_idle_wake(dock.slot[i]);
}

static void
wait_crossed(struct fg_identity *self, unsigned from, unsigned slots, uint64_t phase)
{
	struct fg_worker *worker = self->worker;
	worker->cross_next = from;
	worker->cross_end = slots;
	worker->cross_phase = phase;
	if (!crossed(worker))
		fg_worker_wait(self, crossed);
}

static void
phase_begin(struct fg_crew *crew, struct fg_identity *first)
{
	crew->arrived = 0;
	crew->started = 1;
	crew->next = first->crew_next;
}

static bool
takes_part(const struct fg_root *root, const struct fg_identity *member)
{
	return member->member != 0 && member->member < root->size && root->members[member->member] == member;
}

/* Links this worker's members of the root's team in a ring; returns the first. */
static struct fg_identity *
ring_make(struct fg_worker *worker, struct fg_root *root)
{
	struct fg_crew *crew = &worker->crew;
	struct fg_identity *first = worker->slot ? root->members[worker->slot] : &root->identity, *last = first;
	crew->count = 1;
	for (unsigned k = worker->slot + root->slots; k < root->size; k += root->slots) {
		struct fg_identity *member = root->members[k];
		member->pinned = worker;
		last->crew_next = member;
		last = member;
		crew->count++;
	}
	first->pinned = worker;
	last->crew_next = first;
	crew->root = root;
	crew->layout = root->layout;
	return first;
}

/* The caller waits docked on its worker, has seen a fork that its worker takes part in, and returns when it is to run its member. */
static void
dock_enter(struct fg_identity *self)
{
	struct fg_worker *worker = self->worker;
	struct fg_crew *crew = &worker->crew;
	struct fg_root *root = dock.root;
	worker->epoch = fg_load_relaxed(&dock.epoch);
	crew->phase = (worker->epoch >> 16) - 1;
	crew->body = dock.body;
	crew->job = dock.job;
	struct fg_identity *first = self;
	if (crew->root != root || crew->layout != root->layout) {
		first = ring_make(worker, root);
		if (takes_part(root, self))
			first = self;
	}
	phase_begin(crew, first);
	if (first != self)
		fg_worker_switch(self, first, NULL, NULL);
}

/* The caller has arrived, others of its crew have not: they go on. */
static void
crew_step(struct fg_identity *self, struct fg_worker *worker)
{
	struct fg_crew *crew = &worker->crew;
	if (crew->started < crew->count) {
		struct fg_identity *next = crew->next;
		crew->next = next->crew_next;
		crew->started++;
		fg_worker_switch(self, next, NULL, NULL);
	} else
		fg_worker_leave(self, NULL, NULL);
}

/* A member that arrives while others of its crew are blocked elsewhere leaves its worker to other work: that takes a free donor. */
static void
arrive_prepare(struct fg_identity *self)
{
	struct fg_crew *crew = &self->worker->crew;
	if (__builtin_expect(crew->started == crew->count && crew->arrived + 1 < crew->count, 0))
		fg_identity_reserve(self);
}

void
fg_dock_barrier(struct fg_identity *self)
{
	arrive_prepare(self);
	struct fg_worker *worker = self->worker;
	struct fg_crew *crew = &worker->crew;
	if (++crew->arrived < crew->count) {
		crew_step(self, worker);
		return;
	}
	uint64_t phase = ++crew->phase;
	unsigned slots = crew->root->slots;
	fg_store_release(&worker->phase, phase);
	wake_slots(0, slots);
	wait_crossed(self, 0, slots, phase);
	phase_begin(&self->worker->crew, self);
}

/* The member's body is over; returns when it is to run one in another region. */
static void
member_end(struct fg_identity *self)
{
	arrive_prepare(self);
	struct fg_worker *worker = self->worker;
	struct fg_crew *crew = &worker->crew;
	if (++crew->arrived < crew->count) {
		crew_step(self, worker);
		return;
	}
	uint64_t phase = ++crew->phase;
	if (worker->slot == 0) {
		fg_worker_switch(self, worker->home, NULL, NULL);
		return;
	}
	struct fg_worker *master = dock.slot[0]; /* from the store on another root may put its own there */
	fg_store_release(&worker->phase, phase);
	fg_fence_seq_cst();
	if (__builtin_expect(fg_load_relaxed(&fg_idle_sleepers) != 0, 0))
		fg_idle_wake(master);
	fg_worker_wait(self, forked);
	dock_enter(self);
}

/* What a docked identity does as long as it is a member of some root's teams. */
static void
docked_loop(struct fg_identity *self)
{
	while (self->member) {
		struct fg_crew *crew = &self->worker->crew;
		crew->body(crew->job, self->member);
		member_end(self);
	}
	fg_worker_carry();
}

static void
docked_donor(void)
{
	docked_loop(fg_self());
}

static void
worker_main(void *arg)
{
	struct fg_worker *worker = arg;
	struct fg_identity *self = worker->home;
	fg_start_kernel_thread(worker);
	fg_worker_wait(self, forked);
	dock_enter(self);
	for (;;) {
		struct fg_crew *crew = &self->worker->crew;
		crew->body(crew->job, self->member);
		member_end(self);
	}
}

static bool
add_worker(void)
{
	struct fg_worker *worker = aligned_alloc(128, sizeof *worker);
	struct fg_identity *home = aligned_alloc(64, (sizeof *home + 63) & ~(size_t)63);
	if (!worker || !home)
		return false;
	memset(worker, 0, sizeof *worker);
	memset(home, 0, sizeof *home);
	home->kind = FG_HOME;
	home->in_runtime = 1;
	home->member = dock.n_slots;
	worker->carries = true;
	worker->epoch = fg_load_relaxed(&dock.epoch);
	fg_worker_init(worker, home, dock.n_slots, fg_machine_leaf(dock.n_slots));
	dock.slot[dock.n_slots] = worker;
	if (!fg_start_worker(worker_main, worker))
		return false;
	dock.n_slots++;
	return true;
}

/* Identities for members 1 .. size-1: homes of workers where no other root has them, else donors, each for good. */
static bool
members_prepare(struct fg_root *root, unsigned size, unsigned slots)
{
	if (root->n_members < size) {
		struct fg_identity **members = realloc(root->members, size * sizeof *members);
		if (!members)
			return false;
		memset(members + root->n_members, 0, (size - root->n_members) * sizeof *members);
		root->members = members;
		root->n_members = size;
	}
	for (unsigned k = 1; k < size; k++) {
		if (root->members[k])
			continue;
		struct fg_worker *worker = k < slots ? dock.slot[k] : NULL;
		if (worker && !worker->home_root) {
			worker->home_root = root;
			root->members[k] = worker->home;
			continue;
		}
		struct fg_identity *donor = fg_identity_donor(docked_donor);
		if (!donor)
			return false;
		donor->member = k;
		root->members[k] = donor;
	}
	return true;
}

static bool
prepare(struct fg_identity *self, struct fg_root *root, unsigned size)
{
	fg_machine_start();
	unsigned slots = size < fg_exec_options.n_pus ? size : fg_exec_options.n_pus;
	if (!dock.slot) {
		dock.slot = calloc(fg_exec_options.n_pus, sizeof *dock.slot);
		dock.n_slots = 1;
	}
	if (!root->worker.leaf)
		root->worker.leaf = fg_machine_leaf(0);
	fg_leave(self);
	bool ready = dock.slot != NULL;
	while (ready && dock.n_slots < slots)
		ready = add_worker();
	ready = ready && members_prepare(root, size, slots);
	fg_enter(self);
	if (ready) {
		root->size = size;
		root->slots = slots;
		root->layout = ++dock.layouts;
	}
	return ready;
}

bool
fg_dock_acquire(struct fg_identity *self, unsigned size)
{
	struct fg_root *root = self->root;
	void *nobody = NULL;
	if (!fg_cas_acquire(&dock.owner, &nobody, root))
		return false;
	if (__builtin_expect(root->size != size, 0) && !prepare(self, root, size)) {
		fg_store_release(&dock.owner, NULL);
		return false;
	}
	return true;
}

void
fg_dock_fork(struct fg_identity *self, void (*body)(void *job, unsigned member), void *job)
{
	struct fg_root *root = self->root;
	struct fg_worker *worker = &root->worker;
	struct fg_crew *crew = &worker->crew;
	crew->phase = dock.base;
	crew->body = body;
	crew->job = job;
	if (crew->layout != root->layout)
		ring_make(worker, root);
	phase_begin(crew, self);
	worker->carries = true;
	dock.slot[0] = worker;
	dock.body = body;
	dock.job = job;
	dock.root = root;
	fg_store_release(&dock.epoch, (dock.base + 1) << 16 | root->slots);
	wake_slots(1, root->slots);
	if (crew->count > 1 || fg_load_relaxed(&fg_births_any))
		fg_monitor_poke();
}

void
fg_dock_join(struct fg_identity *self)
{
	arrive_prepare(self);
	struct fg_worker *worker = self->worker;
	struct fg_crew *crew = &worker->crew;
	if (++crew->arrived < crew->count)
		crew_step(self, worker);
	else
		crew->phase++;
	wait_crossed(self, 1, crew->root->slots, crew->phase);
	if (__builtin_expect(fg_load_relaxed(&worker->spare) != NULL, 0))
		fg_spare_settle(self);
	worker->carries = false;
	dock.base = crew->phase;
	fg_store_release(&dock.owner, NULL);
}

void
fg_dock_after_fork(void)
{
	uint64_t layouts = dock.layouts;
	memset(&dock, 0, sizeof dock);
	dock.layouts = layouts;
}
