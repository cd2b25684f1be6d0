/* Berths (floor: exec): see berths.h.
 *
 * Each root has a dock. Each worker of the pool is posted to one dock: to a root's, or to fg_hiring.nowhere. A dock
 * has a *layout* while its root has workers and PUs for its teams. No two layouts have a PU in common. A root keeps its
 * workers between its regions, so a root that is alone pays for none of this.
 *
 * A worker is moved under the lock of the pool, by a thread that owns both docks. (The lock owns `nowhere`.)
 * flat/post.h proves that the worker then sees each fork that it takes part in, and no other.
 *
 * Phases. `base` of a dock is at least the last phase of each worker that is posted to it. `nowhere` gets the largest
 * base of the docks that the workers leave, and hands it on. So the phases of a worker never go back, whatever docks it
 * has served, and no line of an earlier dock counts as an arrival.
 *
 * Identities. The members of a root keep their identities, whatever workers it has. They are donors, but for a root
 * that was alone: the homes of its workers are members. Such a worker sits in the slot with the member's number only.
 * Once there is another root, the home comes free, and may run as the member on any worker (flat/anchor.h).
 *
 * Shares. A root that makes a layout takes free PUs: whole levels, as small as possible. It takes workers that no root
 * has, or starts new ones. Where PUs or workers are missing, it takes those of docks whose roots have been outside of
 * regions for IDLE_NS. Otherwise the root's own worker runs all members, and the next few regions do not ask. Workers
 * beyond a layout's slots stay in the dock as long as there is one root only. Later they are free.
 *
 * Compact layouts. A root that is alone may have spread its team over the machine. When a second root comes, the first
 * is asked to make a new layout (seated = 0), and sees this at its next region. So is each root whose layout is larger
 * than necessary, while a smaller part is free: REPLANS times at most after a root has come or gone.
 *
 * Pin files. A root asks for the PUs of the file. If another layout has one of them at that moment, the root gets
 * others, and is displaced. It is asked again as above, so it has the file's PUs once that layout is gone. */
#include "exec/pool/berths.h"

#include <stddef.h>
#include <string.h>

#include "base/carrier.h"
#include "exec/ground/options.h"
#include "exec/pool/hiring.h"
#include "exec/pool/part.h"
#include "exec/thread/root_worker.h"
#include "exec/thread/worker_parts.h"
#include "platform/memory.h"

#define IDLE_NS 20000
#define REPLANS 4
#define ROUNDS 8

static struct {
	struct fg_atomic_u32 held;  /* slots of all layouts */
	struct fg_atomic_u32 freed; /* layouts that have been dissolved */
	struct fg_root closer;	    /* owns closed docks */
} layouts;

static bool
room(struct fg_dock *dock)
{
	unsigned n = fg_exec_options.n_pus;
	dock->slot = fg_memory_zeroed(n * sizeof *dock->slot);
	dock->berth = fg_memory_zeroed(n * sizeof *dock->berth);
	dock->pu = fg_memory_zeroed(n * sizeof *dock->pu);
	if (!dock->slot || !dock->berth || !dock->pu) {
		fg_memory_free(dock->slot);
		fg_memory_free(dock->berth);
		fg_memory_free(dock->pu);
		dock->slot = NULL;
		return false;
	}
	for (unsigned i = 0; i < n; i++)
		dock->berth[i] = (struct fg_berth){dock, i};
	return true;
}

bool
fg_berths_begin(struct fg_root *root)
{
	struct fg_dock *dock = &root->dock;
	if (dock->slot)
		return true;
	fg_spinlock_lock(&fg_hiring.lock);
	/* A shutdown owns all docks of the list. One that came now would run members while their donors are ended. */
	bool ready = !fg_hiring.closed && (fg_hiring.nowhere.slot || room(&fg_hiring.nowhere)) && room(dock);
	if (ready) {
		fg_store_relaxed(&dock->slot[0], fg_root_worker(root));
		fg_store_relaxed(&fg_root_worker(root)->post, &dock->berth[0]);
		dock->next = fg_hiring.docks;
		fg_hiring.docks = dock;
		fg_hiring.roots++;
	}
	fg_spinlock_unlock(&fg_hiring.lock);
	return ready;
}

static void
post(struct fg_worker *worker, struct fg_dock *dock, unsigned slot)
{
	fg_store_relaxed(&dock->slot[slot], worker);
	fg_store_release(&worker->post, &dock->berth[slot]);
}

/* The caller owns the dock. */
static void
free_slot(struct fg_dock *dock, unsigned slot)
{
	struct fg_worker *worker = fg_slot(dock->slot, slot);
	if (!worker)
		return;
	fg_store_relaxed(&dock->slot[slot], NULL);
	if (fg_hiring.nowhere.base < dock->base)
		fg_hiring.nowhere.base = dock->base;
	post(worker, &fg_hiring.nowhere, fg_parts(worker)->hire.number);
}

static void
hold_locked(struct fg_dock *dock, unsigned slots)
{
	fg_store_relaxed(&layouts.held, fg_load_relaxed(&layouts.held) + slots - dock->held);
	dock->held = slots;
}

/* Asks each root whose layout is too large for a new one, if it would find a smaller part, and each that has not the
 * PUs of the pin file. `anew`: a root has come or gone. */
static void
ask_for_layouts_locked(const struct fg_dock *but, bool anew)
{
	for (struct fg_dock *dock = fg_hiring.docks; dock; dock = dock->next) {
		if (anew)
			dock->replans = REPLANS;
		if (dock == but || !dock->held || dock->replans == 0)
			continue;
		if (!dock->displaced && (dock->compact || !fg_part_may_be_compact_locked(dock)))
			continue;
		dock->replans--;
		fg_store_relaxed(&dock->seated, 0);
	}
}

/* The caller owns the dock, whose root gets a new layout with its next region. */
static void
dissolve_locked(struct fg_dock *dock)
{
	bool had = dock->held != 0;
	hold_locked(dock, 0);
	fg_store_relaxed(&dock->seated, 0);
	for (unsigned i = 1; i < fg_exec_options.n_pus; i++)
		free_slot(dock, i);
	if (had)
		fg_store_relaxed(&layouts.freed, fg_load_relaxed(&layouts.freed) + 1);
	bool one_left = had && fg_hiring_layouts_locked(NULL) == 1;
	for (struct fg_dock *other = fg_hiring.docks; other && one_left; other = other->next)
		if (other->held)
			fg_store_relaxed(&other->seated, 0); /* it may spread over the machine again */
	if (had && !one_left)
		ask_for_layouts_locked(dock, true);
}

/* The home that must run in this slot, or NULL. */
static const struct fg_identity *
home_for(const struct fg_root *root, unsigned slot)
{
	const struct fg_identity *member = slot < root->n_members[false] ? root->members[false][slot] : NULL;
	return member && member->kind == FG_HOME && !member->roams ? member : NULL;
}

/* Its home is a member that cannot run on another worker. */
static bool
is_tied(const struct fg_worker *worker)
{
	return fg_parts(worker)->hire.home_root && !worker->home->roams;
}

/* How well a worker fits a slot; 0: not at all. Homes of roots come last, and of these the highest members first. */
static unsigned
fit(const struct fg_root *root, unsigned slot, const struct fg_worker *worker)
{
	const struct fg_identity *home = home_for(root, slot);
	if (home)
		return worker->home == home ? 1 : 0;
	if (is_tied(worker))
		return 0;
	return fg_parts(worker)->hire.home_root ? 1 + worker->home->member : UINT16_MAX;
}

static struct fg_worker *
free_worker_locked(const struct fg_root *root, unsigned slot)
{
	struct fg_worker *best = NULL;
	unsigned best_fit = 0;
	for (unsigned i = 1; i < fg_workers.n; i++) {
		struct fg_worker *worker = fg_slot(fg_hiring.nowhere.slot, i);
		unsigned fits = worker ? fit(root, slot, worker) : 0;
		if (fits > best_fit) {
			best = worker;
			best_fit = fits;
		}
	}
	return best;
}

/* Frees the workers that the new layout cannot use, or need not keep. */
static void
free_surplus_locked(struct fg_root *root, unsigned slots)
{
	struct fg_dock *dock = &root->dock;
	for (unsigned i = 1; i < fg_exec_options.n_pus; i++)
		if (fg_slot(dock->slot, i) &&
		    ((i >= slots && fg_hiring.roots > 1) || !fit(root, i, fg_slot(dock->slot, i))))
			free_slot(dock, i);
}

/* The slots that are left without a worker. */
struct missing {
	unsigned workers; /* slots that any worker would fit */
	unsigned homes;	  /* slots of homes that other roots have */
};

/* Posts a worker to each slot that has none. */
static struct missing
fill_locked(struct fg_root *root, unsigned slots)
{
	struct fg_dock *dock = &root->dock;
	struct missing missing = {0};
	bool begun = false;
	for (unsigned i = 1; i < slots; i++) {
		bool there = fg_slot(dock->slot, i);
		struct fg_worker *worker = there ? NULL : free_worker_locked(root, i);
		if (!there && !worker)
			*(home_for(root, i) ? &missing.homes : &missing.workers) += 1;
		if (!worker)
			continue;
		if (!begun && dock->base < fg_hiring.nowhere.base)
			dock->base = fg_hiring.nowhere.base;
		if (!begun)
			fg_store_release(&dock->fork.epoch,
					 dock->base << 16); /* before the first post: see flat/post.h */
		begun = true;
		fg_store_relaxed(&fg_hiring.nowhere.slot[fg_parts(worker)->hire.number], NULL);
		post(worker, dock, i);
	}
	return missing;
}

static bool
has_tied(const struct fg_dock *dock)
{
	for (unsigned i = 1; i < fg_exec_options.n_pus; i++)
		if (fg_slot(dock->slot, i) && is_tied(fg_slot(dock->slot, i)))
			return true;
	return false;
}

/* Takes workers and PUs of docks that have been idle for long. True: there are docks that have been idle for less. */
static bool
dissolve_idle_locked(const struct fg_root *root)
{
	bool wait = false;
	uint64_t now = fg_carrier->now();
	for (struct fg_dock *dock = fg_hiring.docks; dock; dock = dock->next) {
		void *nobody = NULL;
		uint64_t epoch = fg_load_relaxed(&dock->fork.epoch);
		bool idle = dock != &root->dock && dock->held && !fg_load_relaxed(&dock->owner);
		if (!idle || !dock->idle_since || dock->idle_epoch != epoch) {
			dock->idle_epoch = epoch;
			dock->idle_since = idle ? now : 0;
			wait |= idle;
		} else if (now - dock->idle_since < IDLE_NS)
			wait = true;
		else if (fg_cas_acquire(&dock->owner, &nobody, (void *)root)) {
			if (!has_tied(dock)) /* the next that asks frees them first (flat/anchor.h) */
				dissolve_locked(dock);
			fg_store_release(&dock->owner, NULL);
		}
	}
	return wait;
}

/* Workers that others keep beyond their layouts come free with their next region. */
static void
ask_for_surplus_locked(const struct fg_root *root)
{
	for (struct fg_dock *dock = fg_hiring.docks; dock; dock = dock->next)
		for (unsigned i = dock->held; dock != &root->dock && dock->held && i < fg_exec_options.n_pus; i++)
			if (fg_slot(dock->slot, i)) {
				fg_store_relaxed(&dock->seated, 0);
				break;
			}
}

/* The pool must have so many entries, so that each layout has its workers. */
static unsigned
target_locked(const struct fg_dock *dock, unsigned slots, unsigned missing)
{
	unsigned there = fg_workers.n + fg_hiring.pending;
	unsigned target = fg_load_relaxed(&layouts.held) - fg_hiring_layouts_locked(dock) + slots;
	if (target <= fg_workers.n)
		target = there > fg_workers.n ? there : there + missing;
	return target < fg_exec_options.n_pus ? target : fg_exec_options.n_pus;
}

enum answer { TAKEN, REFUSED, START, WAIT };

static enum answer
take_locked(struct fg_root *root, unsigned slots, unsigned *target)
{
	struct fg_dock *dock = &root->dock;
	bool anew = dock->held == 0;
	if (fg_hiring.closed)
		return REFUSED;
	hold_locked(dock, 0);
	free_surplus_locked(root, slots);
	struct missing missing = fill_locked(root, slots);
	if (missing.workers && !missing.homes && fg_workers.n < fg_exec_options.n_pus) {
		*target = target_locked(dock, slots, missing.workers);
		return START;
	}
	fg_hiring_mark_locked(dock);
	if (missing.workers || missing.homes || fg_part_free_locked() < slots) {
		bool wait = dissolve_idle_locked(root);
		ask_for_surplus_locked(root);
		missing = fill_locked(root, slots);
		fg_hiring_mark_locked(dock);
		if (missing.workers || missing.homes || fg_part_free_locked() < slots)
			return wait ? WAIT : REFUSED;
	}
	bool free = fg_part_is_free_locked(root, slots);
	if (!free)
		fg_part_take_any_locked(root, slots);
	dock->displaced = root->pin && !free;
	for (unsigned i = 0; i < slots; i++)
		dock->pu[i] = (uint16_t)root->pus[i];
	hold_locked(dock, slots);
	fg_store_relaxed(&dock->seated, root->layout);
	dock->compact = fg_part_is_compact(root, slots);
	if (fg_hiring.roots > 1)
		ask_for_layouts_locked(dock, anew);
	return TAKEN;
}

static void
wait_for_idlers(struct fg_identity *self)
{
	fg_leave(self);
	uint64_t until = fg_carrier->now() + IDLE_NS;
	while (fg_carrier->now() < until)
		fg_carrier->pause();
	fg_enter(self);
}

/* A root that was refused does not ask again for a while. */
static void
refuse_locked(struct fg_dock *dock)
{
	dissolve_locked(dock);
	if (fg_hiring.roots < 2)
		return;
	dock->backoff = dock->backoff < 32 ? 2 * dock->backoff + 1 : dock->backoff;
	dock->skip = dock->backoff;
	dock->refused_at = fg_load_relaxed(&layouts.freed);
}

bool
fg_berths_may_ask(struct fg_root *root)
{
	struct fg_dock *dock = &root->dock;
	if (dock->skip == 0 || dock->refused_at != fg_load_relaxed(&layouts.freed))
		return true;
	dock->skip--;
	return false;
}

bool
fg_berths_take(struct fg_identity *self, struct fg_root *root, unsigned slots)
{
	struct fg_dock *dock = &root->dock;
	bool waited = false;
	for (unsigned i = 0;; i++) {
		unsigned target = 0;
		fg_spinlock_lock(&fg_hiring.lock);
		enum answer answer = take_locked(root, slots, &target);
		bool over = i == ROUNDS || (answer == WAIT && waited);
		if (answer == REFUSED || (over && answer != TAKEN)) {
			refuse_locked(dock);
			answer = REFUSED;
		}
		fg_spinlock_unlock(&fg_hiring.lock);
		if (answer == TAKEN)
			dock->backoff = 0;
		if (answer == TAKEN || answer == REFUSED)
			return answer == TAKEN;
		if (answer == START && !fg_workers_need(self, target)) {
			fg_berths_give_back(root);
			return false;
		}
		if (answer == WAIT) {
			wait_for_idlers(self);
			waited = true;
		}
	}
}

void
fg_berths_give_back(struct fg_root *root)
{
	fg_spinlock_lock(&fg_hiring.lock);
	dissolve_locked(&root->dock);
	fg_spinlock_unlock(&fg_hiring.lock);
}

void
fg_berths_pass(void)
{
	fg_spinlock_lock(&fg_hiring.lock);
	fg_spinlock_unlock(&fg_hiring.lock);
}

/* The root's thread ends. So the homes among its members need not be the same in the next thread that has the root. */
static void
untie_locked(struct fg_root *root)
{
	for (unsigned i = 1; i < fg_workers.n; i++) {
		struct fg_worker *worker = fg_workers.all[i];
		if (fg_parts(worker)->hire.home_root != root || !is_tied(worker))
			continue;
		root->members[false][worker->home->member] = NULL;
		fg_parts(worker)->hire.home_root = NULL;
	}
	root->size = 0;
}

void
fg_berths_end(struct fg_root *root)
{
	struct fg_dock *dock = &root->dock;
	void *nobody = NULL;
	if (!dock->slot)
		return;
	fg_spinlock_lock(&fg_hiring.lock);
	if (fg_cas_acquire(&dock->owner, &nobody, root)) {
		untie_locked(root);
		dissolve_locked(dock);
		fg_store_release(&dock->owner, NULL);
	}
	fg_spinlock_unlock(&fg_hiring.lock);
}

unsigned
fg_berths_held(void)
{
	return fg_load_relaxed(&layouts.held);
}

static void
open_locked(const struct fg_dock *until)
{
	for (struct fg_dock *dock = fg_hiring.docks; dock != until; dock = dock->next)
		fg_store_release(&dock->owner, NULL);
	fg_hiring.closed = false;
}

/* A root that has never had a layout may own its dock at this moment, which is not in the list yet. It does not come
 * there while the pool is closed (fg_berths_begin), so the root's team waits at the gate. */
bool
fg_berths_close(void)
{
	fg_spinlock_lock(&fg_hiring.lock);
	bool all = !fg_hiring.closed;
	for (struct fg_dock *dock = all ? fg_hiring.docks : NULL; dock && all; dock = dock->next) {
		void *nobody = NULL;
		if (!(all = fg_cas_acquire(&dock->owner, &nobody, &layouts.closer)))
			open_locked(dock);
	}
	if (all)
		fg_hiring.closed = true;
	fg_spinlock_unlock(&fg_hiring.lock);
	return all;
}

void
fg_berths_open(void)
{
	fg_spinlock_lock(&fg_hiring.lock);
	open_locked(NULL);
	fg_spinlock_unlock(&fg_hiring.lock);
}

void
fg_berths_clear(void)
{
	fg_spinlock_lock(&fg_hiring.lock);
	for (struct fg_dock *dock = fg_hiring.docks; dock; dock = dock->next)
		dissolve_locked(dock);
	fg_spinlock_unlock(&fg_hiring.lock);
}

static void
reset(struct fg_dock *dock)
{
	uint64_t base = dock->base;
	memset(dock, 0, sizeof *dock);
	dock->base = base;
}

void
fg_berths_after_fork(struct fg_root *root)
{
	reset(&fg_hiring.nowhere);
	if (root)
		reset(&root->dock);
	fg_store_relaxed(&layouts.held, 0);
}
