/* Groups: barrier and join of a team whose workers form groups: worker 0, and workers 1 and 2, of which 1
 * stores the summary. The constants of groups.c are so small that this team has groups. Worker 1 may sleep or be late.
 *
 * Constants: exec/loop/park.c KERNEL_SPIN_NS=0
 * Constants: exec/flat/groups.c SMALL=2 MOST=2 BLOCK=2
 * Constants: exec/flat/summary.c SUMMARY_TURNS=100
 * With: floor
 */
#include "exec/flat/dock.h"
#include "exec/flat/groups.h"
#include "exec/flat/layout.h"
#include "exec/ground/options.h"
#include "interleave/floor.h"
#include "interleave/model.h"
#include "interleave/regions.h"

static void
groups_setup(void)
{
	floor_setup();
	fg_exec_options.n_pus = 3;
}

static void
tell_groups(void *job, unsigned member)
{
	model_assert(root->groups->slots == 3 && root->groups->n_groups == 2);
	tell_body(job, member);
}

static void
join(void)
{
	root = floor_root(false);
	flat_region(3, tell_groups);
	flat_region(3, tell_groups);
}
MODEL_SCENARIO(join, .setup = groups_setup, .thread = {join}, .weight = 2, .max_steps = 4000,
	       .broken = MODEL_BROKEN("weaken store_summary:store_release", "weaken fg_summary_gather:load_acquire",
				      "weaken crossed_groups:load_acquire", "weaken workers_crossed:load_acquire",
				      "weaken dock_wait:store_release", "drop dock_wait:store_release", "drop wake",
				      "weaken fg_forks_tell_copies:store_release",
				      "drop fg_forks_tell_copies:store_release",
				      "weaken copy_is_newer:load_acquire"));

/* The groups are made anew for the second layout, while worker 1 may still gather for the first. */
static void
layouts(void)
{
	static const uint16_t two_here[] = {0, 1, 0, 2};
	root = floor_root(false);
	flat_region(3, tell_groups);
	placed_region(4, two_here, tell_groups);
	flat_region(2, tell_body);
}
MODEL_SCENARIO(layouts, .setup = groups_setup, .thread = {layouts}, .weight = 2, .max_steps = 4000,
	       .broken = MODEL_BROKEN("weaken store_summary:store_release", "weaken fg_summary_gather:load_acquire",
				      "weaken crossed_groups:load_acquire"));

/* Regions by turns in which the members 1 and 2 change workers. The layout is made once, so a worker may go by the copy
 * of its group, or by the line of the dock. */
static const uint16_t *seating;

static void
tell_seating(void *job, unsigned member)
{
	model_assert(fg_self()->worker->slot == seating[member]);
	tell_groups(job, member);
}

static void
change_seatings(void)
{
	static const uint16_t seatings[2][3] = {{0, 1, 2}, {0, 2, 1}}, pus[3] = {0, 1, 2};
	root = floor_root(false);
	fg_layout_pin(root, pus);
	for (unsigned i = 0; i < 3; i++) {
		seating = seatings[i % 2];
		placed_region(3, seating, tell_seating);
	}
	model_assert(root->n_seatings == 2);
}
MODEL_SCENARIO(change_seatings, .setup = groups_setup, .thread = {change_seatings}, .weight = 2, .max_steps = 6000,
	       .broken = MODEL_BROKEN("weaken fg_forks_tell_copies:store_release",
				      "weaken copy_is_newer:load_acquire", "weaken dock_wait:store_release"));

static unsigned arrived[3];

static void
barrier_body(void *job, unsigned member)
{
	(void)job;
	for (unsigned phase = 1; phase <= 2; phase++) {
		arrived[member]++;
		fg_dock_barrier(fg_self());
		for (unsigned k = 0; k < 3; k++)
			model_assert(arrived[k] == phase);
		if (phase < 2)
			fg_dock_barrier(fg_self());
	}
	seen[member] = 1;
}

static void
barrier(void)
{
	root = floor_root(false);
	flat_region(3, barrier_body);
}
MODEL_SCENARIO(barrier, .setup = groups_setup, .thread = {barrier}, .weight = 3, .max_steps = 8000,
	       .broken = MODEL_BROKEN("weaken store_summary:store_release", "weaken crossed_groups:load_acquire",
				      "weaken workers_crossed:load_acquire", "weaken fg_dock_barrier:store_release",
				      "drop fg_dock_barrier:store_release", "weaken fg_fence_light:fence_seq_cst",
				      "weaken fg_fence_heavy:fence_seq_cst", "drop wake"));
