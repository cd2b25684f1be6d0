/* Dock outside its fast path: a root takes and prepares it, a shutdown closes and opens it, and its workers end (floor:
 * exec). */
#include <errno.h>
#include <string.h>

#include "base/carrier.h"
#include "exec/flat/dock.h"
#include "exec/flat/dock_line.h"
#include "exec/flat/help.h"
#include "exec/flat/layout.h"
#include "exec/ground/options.h"
#include "exec/pool/workers.h"
#include "exec/thread/levels.h"
#include "exec/thread/root.h"

static bool
prepare(struct fg_identity *self, struct fg_root *root, unsigned size, const uint16_t *slot_of)
{
	int saved = errno;
	fg_levels_start();
	fg_bubble_expect(root);
	unsigned slots = size < fg_exec_options.n_pus ? size : fg_exec_options.n_pus;
	if (slot_of)
		slots = fg_layout_by_place(root, size, slot_of);
	root->by_place = slot_of != NULL;
	root->size = 0; /* there is no layout if this fails */
	root->floats = fg_float_get();
	bool begun = fg_workers_begin(fg_dock_worker, &fg_dock.epoch);
	if (begun)
		fg_workers.slot[0] = &root->worker;
	fg_leave(self);
	bool ready = begun && slots != 0 && fg_layout_place(root, size, &slots);
	fg_enter(self);
	ready = ready && fg_workers_need(self, slots);
	fg_leave(self);
	ready = ready && fg_layout_members(root, size, slots, fg_dock_donor);
	fg_enter(self);
	if (ready) {
		root->size = size;
		root->slots = slots;
		root->layout = ++fg_dock.layouts;
		if (__builtin_expect(root->meets != 0, 0))
			fg_layout_trace(root);
	}
	errno = saved;
	return ready;
}

bool
fg_dock_acquire(struct fg_identity *self, unsigned size, const uint16_t *slot_of)
{
	struct fg_root *root = self->root;
	void *nobody = NULL;
	if (!fg_cas_acquire(&fg_dock.owner, &nobody, root))
		return false;
	if (__builtin_expect(!fg_layout_same(root, size, slot_of), 0) && !prepare(self, root, size, slot_of)) {
		fg_store_release(&fg_dock.owner, NULL);
		return false;
	}
	if (__builtin_expect(fg_dock.seated != root->layout, 0)) {
		fg_workers_sit(root);
		fg_dock.seated = root->layout;
	}
	root->worker.crew.phase = fg_dock.base; /* tasks may be counted before the fork */
	return true;
}

unsigned
fg_dock_slots(void)
{
	return fg_load_relaxed(&fg_dock.epoch) & SLOTS_MAX;
}

bool
fg_dock_close(void)
{
	static struct fg_root nobody;
	void *free_dock = NULL;
	return fg_cas_acquire(&fg_dock.owner, &free_dock, &nobody);
}

void
fg_dock_open(void)
{
	fg_store_release(&fg_dock.owner, NULL);
}

void
fg_dock_end_workers(void)
{
	fg_workers_quiet();
	fg_dock.body = NULL;
	fg_store_release(&fg_dock.epoch, ++fg_dock.base << 16 | fg_workers.n);
	fg_dock_wake_all();
	for (unsigned i = 1; i < fg_workers.n; i++) {
		struct fg_atomic_u32 *over = &fg_workers.slot[i]->hire.over;
		while (!fg_load_acquire(over))
			fg_carrier->wait(over, 0, 0);
	}
}

void
fg_dock_after_fork(void)
{
	uint64_t layouts = fg_dock.layouts;
	memset(&fg_dock, 0, sizeof fg_dock);
	fg_workers_after_fork();
	fg_store_relaxed(&fg_help_word, 0);
	fg_dock.layouts = layouts;
}
