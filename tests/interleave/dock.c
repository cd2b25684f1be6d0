/* The dock: fork, barrier and join of flat teams, and the loans of their crews.
 *
 * Constants: exec/loop/park.c KERNEL_SPIN_NS=0
 * With: floor
 */
#include "exec/flat/dock.h"
#include "exec/flat/layout.h"
#include "exec/flat/lend.h"
#include "exec/loop/loop.h"
#include "interleave/floor.h"
#include "interleave/model.h"
#include "interleave/regions.h"

/* Fork and join of a flat team. */
static void
fork_join(void)
{
	root = floor_root(false);
	flat_region(2, tell_body);
	flat_region(2, tell_body);
}
MODEL_SCENARIO(fork_join, .setup = floor_setup, .thread = {fork_join},
	       .broken = MODEL_BROKEN("weaken fg_dock_fork:store_release", "drop fg_dock_fork:store_release",
				      "weaken fg_post_forked:load_acquire", "weaken dock_wait:store_release",
				      "drop dock_wait:store_release", "weaken fg_fence_light:fence_seq_cst",
				      "weaken fg_dock_crossed:load_acquire", "weaken fg_fence_light:fence_seq_cst",
				      "weaken fg_fence_heavy:fence_seq_cst", "drop fg_idle_sleep:add_relaxed",
				      "drop wake"));

/* More members than workers. Member 2 shares worker 0 with the primary thread. */
static void
fork_join_crew(void)
{
	root = floor_root(false);
	flat_region(3, tell_body);
}
MODEL_SCENARIO(fork_join_crew, .setup = floor_setup, .thread = {fork_join_crew},
	       .broken = MODEL_BROKEN("weaken dock_wait:store_release", "weaken fg_dock_crossed:load_acquire",
				      "weaken fg_post_forked:load_acquire"));

/* The layout changes from region to region: by places, dealt round, another size. */
static void
layouts(void)
{
	static const uint16_t one_of_two[] = {0, 1}, all_here[] = {0, 0};
	root = floor_root(false);
	placed_region(2, one_of_two, tell_body);
	flat_region(2, tell_body);
	placed_region(2, all_here, tell_body);
	flat_region(3, tell_body);
}
MODEL_SCENARIO(layouts, .setup = floor_setup, .thread = {layouts},
	       .broken = MODEL_BROKEN("weaken dock_wait:store_release", "weaken fg_post_forked:load_acquire"));

/* A pin file seats the workers, and then others. */
static void
pins(void)
{
	static const uint16_t one_each[] = {0, 1}, here[] = {0, 1}, turned[] = {1, 0};
	root = floor_root(false);
	fg_layout_pin(root, here);
	placed_region(2, one_each, tell_body);
	fg_layout_pin(root, turned);
	placed_region(2, one_each, tell_body);
	fg_layout_pin(root, NULL);
	flat_region(2, tell_body);
}
MODEL_SCENARIO(pins, .setup = floor_setup, .thread = {pins},
	       .broken = MODEL_BROKEN("weaken dock_wait:store_release", "weaken fg_post_forked:load_acquire"));

/* Barrier. Each member writes its own word before it, and reads the others' words after it. */
static unsigned team_size;

static void
barrier_body(void *job, unsigned member)
{
	(void)job;
	seen[member] = 1;
	fg_dock_barrier(fg_self());
	for (unsigned k = 0; k < team_size; k++)
		model_assert(seen[k] == 1);
}

static void
barrier(void)
{
	root = floor_root(false);
	team_size = 2;
	flat_region(2, barrier_body);
}
MODEL_SCENARIO(barrier, .setup = floor_setup, .thread = {barrier},
	       .broken = MODEL_BROKEN("weaken fg_dock_barrier:store_release", "drop fg_dock_barrier:store_release",
				      "weaken fg_dock_crossed:load_acquire", "weaken fg_fence_light:fence_seq_cst",
				      "weaken fg_fence_heavy:fence_seq_cst", "drop wake"));

static void
barrier_crew(void)
{
	root = floor_root(false);
	team_size = 3;
	flat_region(3, barrier_body);
}
MODEL_SCENARIO(barrier_crew, .setup = floor_setup, .thread = {barrier_crew},
	       .broken = MODEL_BROKEN("weaken fg_dock_barrier:store_release", "weaken fg_dock_crossed:load_acquire"));

/* Lending. A member of worker 0's crew runs on worker 1, which asks for it while it waits. Worker 0 answers where it
 * switches. */
static void
lend_body(void *job, unsigned member)
{
	if (member == 0)
		fg_yield();
	tell_body(job, member);
}

static void
lend(void)
{
	root = floor_root(false);
	flat_region(3, lend_body);
}
MODEL_SCENARIO(lend, .setup = floor_setup, .thread = {lend},
	       .broken = MODEL_BROKEN("weaken returned_callback:add_acq_rel", "drop returned_callback:add_acq_rel",
				      "weaken all_back:load_acquire"));

/* The same where worker 0 is in the program's code, and is held meanwhile. */
static void
seize_body(void *job, unsigned member)
{
	struct fg_identity *self = fg_self();
	if (member == 0) {
		fg_leave(self);
		model_point("the program's code");
		fg_enter(self);
	}
	if (member == 1) {
		fg_lend_ask(self->worker);
		fg_lend_ask(self->worker);
	}
	barrier_body(job, member);
}

static void
seize(void)
{
	root = floor_root(false);
	team_size = 3;
	flat_region(3, seize_body);
}
MODEL_SCENARIO(seize, .setup = floor_setup, .thread = {seize},
	       .broken = MODEL_BROKEN("fault no membarrier", "drop fg_hold_end:store_release",
				      "weaken fg_hold_none:load_acquire"));
