/* Staff (floor: exec): see staff.h. */
#include "exec/staff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/carrier.h"
#include "exec/birth.h"
#include "exec/machine.h"
#include "exec/options.h"
#include "exec/start.h"

struct fg_staff fg_staff;

static struct {
	struct fg_atomic_u32 growing; /* 1: somebody adds workers, or says where they sit */
	void (*main)(void *worker);
	struct fg_atomic_u64 *epoch;
} staff;

bool
fg_staff_begin(void (*main)(void *worker), struct fg_atomic_u64 *epoch)
{
	if (fg_staff.slot)
		return true;
	staff.main = main;
	staff.epoch = epoch;
	fg_staff.slot = calloc(fg_exec_options.n_pus, sizeof *fg_staff.slot);
	fg_staff.n_slots = 1;
	return fg_staff.slot;
}

void
fg_staff_lock(void)
{
	for (uint32_t nobody = 0; !fg_cas_acquire(&staff.growing, &nobody, 1); nobody = 0)
		fg_carrier->wait(&staff.growing, 1, 0);
}

void
fg_staff_unlock(void)
{
	fg_store_release(&staff.growing, 0);
	fg_carrier->wake(&staff.growing, 1);
}

static struct fg_worker *
worker_new(struct fg_identity *home)
{
	struct fg_worker *worker = aligned_alloc(128, sizeof *worker);
	if (!worker)
		return NULL;
	memset(worker, 0, sizeof *worker);
	fg_worker_init(worker, home, fg_staff.n_slots, fg_machine_leaf(fg_staff.n_slots));
	return worker;
}

static bool
add_worker(void)
{
	struct fg_worker *worker =
		fg_staff.slot[fg_staff.n_slots]; /* one that was ended, and that others may be reading */
	struct fg_identity *home = worker ? worker->home : aligned_alloc(64, (sizeof *home + 63) & ~(size_t)63);
	if (!home)
		return false;
	memset(home, 0, sizeof *home);
	home->kind = FG_HOME;
	home->in_runtime = 1;
	home->member = fg_staff.n_slots;
	if (!worker && !(worker = worker_new(home))) {
		free(home);
		return false;
	}
	home->worker = home->pinned = worker;
	worker->carries = true;
	worker->epoch = fg_load_relaxed(staff.epoch);
	fg_staff.slot[fg_staff.n_slots] = worker;
	if (!fg_start_worker(staff.main, worker))
		return false;
	fg_staff.n_slots++;
	return true;
}

bool
fg_staff_grow(unsigned slots)
{
	bool ready = true;
	while (ready && fg_staff.n_slots < slots)
		ready = add_worker();
	return ready;
}

void
fg_staff_sit(const struct fg_root *root, unsigned slots)
{
	unsigned n_pus = fg_exec_options.n_pus, pu = 0;
	bool *used = fg_staff.n_slots > slots ? calloc(n_pus, sizeof *used) : NULL;
	for (unsigned i = 0; used && i < slots; i++)
		used[root->pus[i]] = true;
	for (unsigned i = slots; used && i < fg_staff.n_slots; i++, pu++) {
		while (pu < n_pus - 1 && used[pu])
			pu++;
		fg_store_relaxed(&fg_staff.slot[i]->leaf, fg_machine_leaf(pu));
	}
	free(used);
}

/* Where somebody is at it already, the caller need not wait for that. */
void
fg_staff_fill(struct fg_identity *self, const struct fg_root *root)
{
	uint32_t nobody = 0;
	if (fg_staff.n_slots >= fg_exec_options.n_pus || !fg_cas_acquire(&staff.growing, &nobody, 1))
		return;
	int saved = errno;
	fg_leave(self);
	if (root->pus) {
		fg_staff_grow(fg_exec_options.n_pus);
		fg_staff_sit(root, root->slots);
	}
	fg_staff_unlock();
	fg_enter(self);
	errno = saved;
}

/* As it is before its first region; its lines of phases go on. */
static void
worker_clear(struct fg_worker *worker)
{
	fg_identity_gone(worker->home->tid, FG_GONE_STEPS);
	fg_identity_return(worker);
	if (fg_identity_forget)
		fg_identity_forget(worker->home);
	fg_store_relaxed(&worker->over, 0);
	fg_store_relaxed(&worker->returned, 0);
	fg_store_relaxed(&worker->wanted, 0);
	fg_store_relaxed(&worker->errands, 0);
	worker->docked = NULL;
	worker->crew = (struct fg_crew){0};
	worker->home_root = NULL;
	worker->place = 0;
}

void
fg_staff_clear(void)
{
	for (unsigned i = 1; i < fg_staff.n_slots; i++)
		worker_clear(fg_staff.slot[i]);
	if (fg_staff.n_slots)
		fg_staff.n_slots = 1;
	fg_store_relaxed(&fg_births_any, 0); /* the next nested region fills the dock again */
}

void
fg_staff_after_fork(void)
{
	fg_staff = (struct fg_staff){0};
	memset(&staff, 0, sizeof staff);
}
