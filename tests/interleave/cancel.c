/* Cancel: barriers at which a member leaves the region, and the barriers and regions after them. The bodies end as in
 * region/member.c, with fg_cancel_end.
 *
 * Sources: team/sync/cancel.c team/sync/stay.c team/sync/arrivals.c team/env/features.c
 * Constants: team/sync/arrivals.c MEMBERS=2
 * Constants: exec/loop/park.c KERNEL_SPIN_NS=0
 * Constants: exec/flat/groups.c SMALL=2 MOST=2 BLOCK=2
 * Constants: exec/flat/summary.c SUMMARY_TURNS=100
 * With: floor
 */
#include "exec/flat/dock.h"
#include "exec/ground/options.h"
#include "exec/loop/loop.h"
#include "exec/loop/park.h"
#include "exec/move/move.h"
#include "exec/nested/birth.h"
#include "exec/thread/levels.h"
#include "interleave/floor.h"
#include "interleave/model.h"
#include "interleave/regions.h"
#include "team/sync/arrivals.h"
#include "team/sync/cancel.h"
#include "team/tasks/wait.h"
#include "team/team.h"

/* There are no tasks. */
struct fg_env fg_env = {.cancellation = true};

void
fg_task_barrier(struct fg_identity *self, struct fg_task_pool *pool, uint32_t phase)
{
	(void)self, (void)pool, (void)phase;
	model_fail("there are no tasks here");
}

void
fg_task_wait_at(struct fg_identity *self, uint32_t phase, bool (*over)(void *arg), void *arg)
{
	(void)self, (void)phase, (void)over, (void)arg;
	model_fail("there are no tasks here");
}

void
fg_task_wake_all(struct fg_task_pool *pool)
{
	(void)pool;
	model_fail("there are no tasks here");
}

struct fg_task *
fg_task_current_or_null(struct fg_identity *self)
{
	(void)self;
	return NULL;
}

/* Its naps are turns here. */
void
fg_task_nap(struct fg_identity *self, const struct fg_task *task, bool (*over)(void *arg), void *arg)
{
	(void)self, (void)task;
	while (!over(arg)) {
		fg_yield();
		fg_carrier->pause();
	}
}

static struct fg_team team;
static unsigned size, regions, expected; /* expected: the barrier that is cut */

/* What a member does, by number: it meets barriers, cancels, or leaves. */
enum act { END, BARRIER, PLAIN, CANCEL, SEND };
static const enum act (*acts)[4];

/* `came`: the member has written it before it met that barrier, or has left the region. Each word is written once in a
 * region, so that members which go on write no word that others read. */
enum { BARRIERS = 4 };
static unsigned came[BARRIERS][4];

/* The member meets the barrier that is cut at a plain one. */
static bool
stays(unsigned number)
{
	unsigned barrier = 0;
	for (unsigned i = 0; acts[number][i] != END && acts[number][i] != CANCEL; i++)
		if (acts[number][i] != SEND && barrier++ == expected)
			return acts[number][i] == PLAIN;
	return false;
}

/* Members come to the barrier, or have left. Behind one that was cut only those count that stayed there. */
static void
check_came(unsigned barrier)
{
	for (unsigned k = 0; k < size; k++)
		model_assert((barrier > expected && !stays(k)) || came[barrier][k] == regions);
}

/* True: the caller leaves the region. */
static bool
meet(struct fg_identity *self, unsigned number, unsigned barrier, bool cancellable)
{
	came[barrier][number] = regions;
	bool leaves = fg_cancel_cross(self, &team, cancellable);
	model_assert(leaves == (cancellable && barrier >= expected));
	if (!leaves || barrier > expected)
		check_came(barrier);
	return leaves;
}

static void
member(struct fg_identity *self, unsigned number)
{
	struct fg_thread saved = self->thread;
	self->thread.team = &team;
	self->thread.num = number;
	self->thread.size = size;
	unsigned barrier = 0;
	bool leaves = false;
	for (unsigned i = 0; acts[number][i] != END && !leaves; i++) {
		if (acts[number][i] == CANCEL) {
			leaves = fg_cancel(self, FG_CANCEL_PARALLEL);
		} else if (acts[number][i] == SEND) {
			model_assert(fg_move(&root->members[false][2]->entity, fg_levels_leaf(1)));
			fg_worker_yield(self); /* member 2 arrives first */
		} else {
			leaves = meet(self, number, barrier, acts[number][i] == BARRIER);
			barrier++;
		}
	}
	for (; barrier < BARRIERS; barrier++)
		came[barrier][number] = regions;
	seen[number]++;
	fg_cancel_end(self, &team);
	model_assert(!self->thread.cut);
	self->thread = saved;
}

static void
body(void *job, unsigned number)
{
	model_assert(job == seen);
	member(fg_self(), number);
}

static void
begin(enum fg_team_mode mode)
{
	team.mode = mode;
	team.size = size;
	team.version = 1;
	fg_cancel_begin(fg_self(), &team);
}

/* After a cancelled region comes one that meets its barriers as usual. */
static const enum act none_cancels[4][4] = {{BARRIER}, {BARRIER}, {BARRIER}, {BARRIER}};

static void
end(void)
{
	for (unsigned k = 0; k < size; k++)
		model_assert(seen[k] == 1);
	for (unsigned k = 0; k < size; k++)
		seen[k] = 0;
	acts = none_cancels;
	expected = BARRIERS;
	regions++;
}

static void
flat(void)
{
	root = floor_root(false);
	for (regions = 1; regions <= 2;) {
		model_assert(fg_dock_acquire(&root->identity, size, NULL));
		begin(FG_TEAM_DOCKED);
		fg_dock_fork(&root->identity, body, seen, NULL, NULL);
		body(seen, 0);
		fg_dock_join(&root->identity);
		end();
	}
}

static void
setup(unsigned members, unsigned pus, const enum act (*of)[4], unsigned which)
{
	floor_setup();
	fg_exec_options.n_pus = pus;
	size = members;
	acts = of;
	expected = which;
}

/* One member cancels while another arrives, or sleeps at the barrier. */
static const enum act one_cancels[4][4] = {{BARRIER, BARRIER}, {CANCEL}, {BARRIER, BARRIER}};

static void
setup_two(void)
{
	setup(2, 2, one_cancels, 0);
}
MODEL_SCENARIO(cancel_two, .setup = setup_two, .thread = {flat}, .weight = 2, .max_steps = 4000,
	       .broken = MODEL_BROKEN("drop fg_cancel:cas_release", "weaken fg_fence_light:fence_seq_cst",
				      "weaken fg_fence_heavy:fence_seq_cst", "drop wake",
				      "drop come:store_release", "weaken come:store_release",
				      "weaken fg_dock_crossed:load_acquire"));

/* Two of three cancel at once. The primary thread shares its worker with member 2. */
static const enum act two_cancel[4][4] = {{BARRIER, CANCEL}, {BARRIER, CANCEL}, {BARRIER, BARRIER, BARRIER}};

static void
setup_twice(void)
{
	setup(3, 2, two_cancel, 1);
}
MODEL_SCENARIO(cancel_twice, .setup = setup_twice, .thread = {flat}, .weight = 2, .max_steps = 4000,
	       .broken = MODEL_BROKEN("drop fg_cancel:cas_release", "weaken come:store_release",
				      "weaken fg_dock_crossed:load_acquire"));

/* The member that cancels is in a crew with one that has arrived. */
static const enum act crew_cancels[4][4] = {{BARRIER}, {BARRIER}, {CANCEL}};

static void
setup_crew(void)
{
	setup(3, 2, crew_cancels, 0);
}
MODEL_SCENARIO(cancel_in_crew, .setup = setup_crew, .thread = {flat}, .weight = 2, .max_steps = 4000,
	       .broken = MODEL_BROKEN("drop fg_cancel:cas_release", "weaken fg_fence_light:fence_seq_cst", "drop wake",
				      "weaken come:store_release"));

/* Member 2 is sent to worker 1. That may have ended the region by the time at which the barrier that was cut is over in
 * the member's crew. So the member parts at the end only. */
static const enum act one_is_sent[4][4] = {{SEND, BARRIER, BARRIER}, {CANCEL}, {BARRIER, BARRIER}};

static void
setup_sent(void)
{
	setup(3, 2, one_is_sent, 0);
}
MODEL_SCENARIO(cancel_sent, .setup = setup_sent, .thread = {flat}, .weight = 2, .max_steps = 4000,
	       .broken = MODEL_BROKEN("drop fg_cancel:cas_release", "weaken come:store_release"));

/* Plain barriers: two members stay where the third has left. One of them leaves at the next barrier, or both do. */
static const enum act some_stay[4][4] = {{PLAIN, PLAIN, BARRIER}, {CANCEL}, {PLAIN, BARRIER}};
static const enum act both_stay[4][4] = {{PLAIN, PLAIN, BARRIER}, {PLAIN, PLAIN, BARRIER}, {CANCEL}};

static void
setup_plain(void)
{
	setup(3, 2, some_stay, 0);
}
MODEL_SCENARIO(cancel_plain, .setup = setup_plain, .thread = {flat}, .weight = 2, .max_steps = 4000,
	       .broken = MODEL_BROKEN("weaken fg_cut_stayers:load_acquire", "drop come:store_release",
				      "weaken come:store_release"));

static void
setup_stay(void)
{
	setup(3, 2, both_stay, 0);
}
MODEL_SCENARIO(cancel_stay, .setup = setup_stay, .thread = {flat}, .weight = 2, .max_steps = 4000,
	       .broken = MODEL_BROKEN("weaken step:cas_acq_rel", "weaken has_opened:load_acquire",
				      "weaken fg_cut_stayers:load_acquire"));

/* Worker 0 is beside the group of workers 1 and 2. Nobody need store the summary of a barrier that was cut. */
static const enum act group_cancels[4][4] = {{BARRIER, BARRIER}, {BARRIER, CANCEL}, {BARRIER, PLAIN}};

static void
setup_groups(void)
{
	setup(3, 3, group_cancels, 1);
}
MODEL_SCENARIO(cancel_groups, .setup = setup_groups, .thread = {flat}, .weight = 3, .max_steps = 8000,
	       .broken = MODEL_BROKEN("drop fg_cancel:cas_release", "weaken store_summary:store_release",
				      "weaken crossed_groups:load_acquire", "weaken workers_crossed:load_acquire",
				      "weaken come:store_release", "weaken fg_fence_light:fence_seq_cst",
				      "drop wake"));

/* A nested team, whose members are born on two workers. */
static bool groups;

static void
nested_body(void *job, unsigned number)
{
	(void)job;
	if (number)
		return;
	struct fg_births *births = births_new(body, seen);
	for (regions = 1; regions <= 2;) {
		begin(FG_TEAM_LOOSE);
		team.features = 0;
		if (groups)
			fg_arrivals_prepare(&team);
		fg_births_publish(fg_self(), births, size);
		body(seen, 0);
		fg_births_join(fg_self(), births);
		fg_births_leave(fg_self(), births);
		model_assert(fg_load_stable(&team.arrived) == 0);
		end();
	}
}

static void
nested(void)
{
	root = floor_root(false);
	model_assert(fg_dock_acquire(&root->identity, 2, NULL));
	fg_dock_fork(&root->identity, nested_body, NULL, NULL, NULL);
	nested_body(NULL, 0);
	fg_dock_join(&root->identity);
}

static void
setup_nested(void)
{
	setup(3, 2, some_stay, 0);
}
MODEL_SCENARIO(cancel_nested, .setup = setup_nested, .thread = {nested}, .weight = 2, .max_steps = 4000,
	       .broken = MODEL_BROKEN("drop fg_cancel:cas_release", "drop count:store_relaxed",
				      "drop fg_arrivals_come:store_release", "weaken fg_arrivals_come:store_release",
				      "weaken count:add_acq_rel", "weaken has_opened:load_acquire"));

static void
setup_nested_groups(void)
{
	setup(3, 2, group_cancels, 1);
	groups = true;
}
MODEL_SCENARIO(cancel_nested_groups, .setup = setup_nested_groups, .thread = {nested}, .weight = 2, .max_steps = 4000,
	       .broken = MODEL_BROKEN("drop fg_cancel:cas_release", "weaken count:add_acq_rel",
				      "drop count:store_relaxed", "drop raise_phase:store_release",
				      "weaken raise_phase:store_release", "weaken has_opened:load_acquire"));
