/* Several docks: flat teams of several threads of the program, workers that go from one dock to another, and a
 * shutdown meanwhile.
 *
 * Constants: exec/loop/park.c KERNEL_SPIN_NS=0
 * Constants: exec/pool/berths.c IDLE_NS=1
 * Constants: exec/pool/workers.c FIRST=1
 * With: floor
 */
#include "base/log.h"
#include "exec/flat/anchor.h"
#include "exec/flat/dock.h"
#include "exec/flat/layout.h"
#include "exec/ground/options.h"
#include "exec/nested/birth.h"
#include "exec/pool/berths.h"
#include "exec/pool/workers.h"
#include "interleave/floor.h"
#include "interleave/model.h"

static void
setup_four(void)
{
	floor_setup();
	fg_exec_options.n_pus = 4;
}

static void
count_body(void *job, unsigned member)
{
	unsigned *count = job;
	count[member]++;
	fg_dock_barrier(fg_self());
	model_assert(count[0] == count[1]);
	fg_dock_barrier(fg_self());
}

/* False: the dock is closed. Where other roots have the workers, both members run on the root's own. */
static bool
region_of(struct fg_root *own, unsigned *count, const uint16_t *slot_of)
{
	if (!fg_dock_acquire(&own->identity, 2, slot_of))
		return false;
	unsigned before = count[0];
	fg_dock_fork(&own->identity, count_body, count, NULL, NULL);
	count_body(count, 0);
	fg_dock_join(&own->identity);
	model_assert(count[0] == before + 1 && count[1] == before + 1);
	return true;
}

static bool
region(struct fg_root *own, unsigned *count)
{
	return region_of(own, count, NULL);
}

/* Two roots open at once. There are PUs and workers for both, so both get them. */
static void
side_by_side(void)
{
	struct fg_root *own = floor_root(false);
	unsigned *count = model_alloc(2 * sizeof *count);
	model_assert(region(own, count));
	model_assert(region(own, count));
}
MODEL_SCENARIO(docks_side_by_side, .setup = setup_four, .thread = {side_by_side, side_by_side}, .max_steps = 4000,
	       .broken = MODEL_BROKEN("weaken fg_post_forked:load_acquire", "drop fg_dock_fork:store_release",
				      "drop wake"));

/* The pin file has the same PUs for both roots. No two layouts have a PU in common. Once the other root has ended, the
 * root has the file's PUs with its next region, whatever it had before. */
static struct fg_atomic_u32 ends, ended;
static const uint16_t file_slots[2] = {0, 1}, file_pus[2] = {2, 1};

/* It says so where one of them has other PUs. */
void
fg_error(const char *format, ...)
{
	if (!fg_self()->root->pin)
		model_fail("fg_error: %s", format);
}

static void
pinned_root(void)
{
	struct fg_root *own = floor_root(false);
	unsigned *count = model_alloc(2 * sizeof *count);
	fg_layout_pin(own, file_pus);
	model_assert(region_of(own, count, file_slots));
	if (fg_add_relaxed(&ends, 1) == 0) {
		fg_dock_give_up(own);
		fg_store_release(&ended, 1);
		return;
	}
	while (!fg_load_acquire(&ended))
		fg_carrier->pause();
	model_assert(region_of(own, count, file_slots));
	model_assert(own->slots == 2 && own->pus[0] == file_pus[0] && own->pus[1] == file_pus[1]);
}
MODEL_SCENARIO(docks_pinned, .setup = setup_four, .thread = {pinned_root, pinned_root}, .max_steps = 4000,
	       .broken = MODEL_BROKEN("drop dissolve_locked:store_relaxed", "weaken fg_post_forked:load_acquire"));

/* The pin file has two seatings for regions by turns. Each time the members 1 and 2 change workers, and each is
 * suspended on the one before another worker resumes it. The layout is made once. */
static const uint16_t seatings[2][3] = {{0, 1, 2}, {0, 2, 1}}, seating_pus[3] = {0, 1, 2};

struct seated {
	unsigned count[3], seating;
};

static void
seated_body(void *job, unsigned member)
{
	struct seated *seated = job;
	model_assert(fg_self()->worker->slot == seatings[seated->seating][member]);
	seated->count[member]++;
}

static void
changes_seating(void)
{
	struct fg_root *own = floor_root(false);
	struct seated *seated = model_alloc(sizeof *seated);
	uint64_t layout = 0;
	fg_layout_pin(own, seating_pus);
	for (unsigned i = 0; i < 3; i++) {
		seated->seating = i % 2;
		model_assert(fg_dock_acquire(&own->identity, 3, seatings[seated->seating]));
		model_assert(own->layout == (i ? layout + 1 : own->layout));
		layout = own->layout;
		fg_dock_fork(&own->identity, seated_body, seated, NULL, NULL);
		seated_body(seated, 0);
		fg_dock_join(&own->identity);
		for (unsigned k = 0; k < 3; k++)
			model_assert(seated->count[k] == i + 1);
	}
}
MODEL_SCENARIO(docks_seatings, .setup = setup_four, .thread = {changes_seating}, .max_steps = 4000,
	       .broken = MODEL_BROKEN("weaken fg_post_forked:load_acquire", "weaken dock_wait:store_release"));

/* There is one worker for two roots. Each takes it from the other where that one is idle, even right before a fork. */
static void
one_worker(void)
{
	struct fg_root *own = floor_root(false);
	unsigned *count = model_alloc(2 * sizeof *count);
	for (unsigned i = 0; i < 3; i++)
		region(own, count);
}
MODEL_SCENARIO(docks_one_worker, .setup = floor_setup, .thread = {one_worker, one_worker}, .max_steps = 4000,
	       .broken = MODEL_BROKEN("weaken dissolve_idle_locked:cas_acquire", "weaken fg_dock_join:store_release"));

/* The worker goes from the first root to the second, back, and to the second again. */
static struct fg_atomic_u32 turn;

static void
wait_turn(uint32_t wanted)
{
	while (fg_load_acquire(&turn) != wanted)
		fg_carrier->pause();
}

static void
region_for_sure(struct fg_root *own, unsigned *count)
{
	while (!region(own, count) || own->slots < 2)
		fg_carrier->pause();
}

static void
first_root(void)
{
	struct fg_root *own = floor_root(false);
	unsigned *count = model_alloc(2 * sizeof *count);
	region_for_sure(own, count);
	const struct fg_identity *member = own->members[false][1];
	fg_store_release(&turn, 1);
	wait_turn(2);
	region_for_sure(own, count);
	model_assert(own->members[false][1] == member && member->kind == FG_HOME);
	fg_store_release(&turn, 3);
}

static void
second_root(void)
{
	struct fg_root *own = floor_root(false);
	unsigned *count = model_alloc(2 * sizeof *count);
	wait_turn(1);
	region_for_sure(own, count);
	region_for_sure(own, count);
	model_assert(own->members[false][1]->kind == FG_DONOR);
	fg_store_release(&turn, 2);
	wait_turn(3);
	region_for_sure(own, count);
}
MODEL_SCENARIO(docks_to_and_fro, .setup = floor_setup, .thread = {first_root, second_root}, .max_steps = 6000,
	       .broken = MODEL_BROKEN("drop post:store_release", "drop fill_locked:store_release", "drop wake"));

/* The home of the worker is a member of the first root. While the second root has the worker, the home runs on the
 * first root's own worker. */
static void
keeps_home(void)
{
	struct fg_root *own = floor_root(false);
	unsigned *count = model_alloc(2 * sizeof *count);
	region_for_sure(own, count);
	const struct fg_identity *member = own->members[false][1];
	model_assert(member->kind == FG_HOME);
	fg_store_release(&turn, 1);
	for (unsigned i = 0; i < 2; i++)
		model_assert(region(own, count) && own->members[false][1] == member);
}

static void
takes_worker(void)
{
	struct fg_root *own = floor_root(false);
	unsigned *count = model_alloc(2 * sizeof *count);
	wait_turn(1);
	region(own, count);
	region(own, count);
}
MODEL_SCENARIO(docks_homes, .setup = floor_setup, .thread = {keeps_home, takes_worker}, .max_steps = 6000,
	       .broken = MODEL_BROKEN("drop fork_without_region:store_release",
				      "weaken fork_without_region:store_release", "weaken has_passed:load_acquire",
				      "drop wake"));

/* All docks are closed and lose their workers while a root may open a region. */
static void
opener(void)
{
	struct fg_root *own = floor_root(false);
	unsigned *count = model_alloc(2 * sizeof *count);
	region(own, count);
	fg_store_release(&turn, 1);
	region(own, count);
	wait_turn(2);
	region_for_sure(own, count);
}

static void
closer(void)
{
	floor_root(false);
	wait_turn(1);
	while (!fg_dock_close())
		fg_carrier->pause();
	fg_berths_clear();
	fg_dock_open();
	fg_store_release(&turn, 2);
}
MODEL_SCENARIO(docks_close, .setup = floor_setup, .thread = {opener, closer}, .max_steps = 4000,
	       .broken = MODEL_BROKEN("weaken fg_berths_close:cas_acquire", "drop open_locked:store_release"));

/* All workers end. A root whose dock is closed waits at the gate of the births meanwhile. It asks for a worker as soon
 * as the gate is open, perhaps before the docks are, and that worker stays. */
static void
note_body(void *job, unsigned member)
{
	((unsigned *)job)[member]++;
}

static void
loose_region(void)
{
	unsigned *count = model_alloc(2 * sizeof *count);
	struct fg_births *births = model_alloc(sizeof *births); /* never freed: exec/nested/rejoin.h */
	*births = (struct fg_births){.body = note_body, .job = count, .width = 2};
	fg_births_publish(fg_self(), births, 2);
	note_body(count, 0);
	fg_births_join(fg_self(), births);
	fg_births_leave(fg_self(), births);
	model_assert(count[0] == 1 && count[1] == 1);
}

static void
waits_at_gate(void)
{
	struct fg_root *own = floor_root(false);
	unsigned *count = model_alloc(2 * sizeof *count);
	region_for_sure(own, count);
	fg_store_release(&turn, 1);
	loose_region();
	wait_turn(2);
	region_for_sure(own, count);
}

/* The steps of a shutdown (exec/top/shutdown.c) that concern them. */
static void
ends_workers(void)
{
	floor_root(false);
	wait_turn(1);
	for (;; fg_carrier->pause()) {
		if (!fg_dock_close())
			continue;
		if (fg_births_shut())
			break;
		fg_dock_open();
	}
	fg_dock_end_workers();
	struct fg_identity *list = fg_anchors_end(NULL);
	fg_workers_clear();
	fg_layout_dissolve(list);
	fg_births_open();
	fg_dock_open();
	fg_store_release(&turn, 2);
}
MODEL_SCENARIO(docks_end, .setup = floor_setup, .thread = {waits_at_gate, ends_workers}, .max_steps = 6000,
	       .broken = MODEL_BROKEN("drop fg_dock_end_workers:store_relaxed", "drop wake"));
