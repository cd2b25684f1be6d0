/* A team is moved to another domain while it is dealt, while its member is born, while its region ends and the next one
 * begins with the same bubble, and while one of its threads becomes ready (sched/home.h, sched/bring.h). A subtree is
 * moved while the region of one of its teams ends.
 *
 * The machine has two domains. A second team in the first one is only counted, so that thieves come.
 *
 * Sources: forest/check.c
 * Constants: sched/subtree.c ROOM=2
 * With: floor
 */
#include "sched/home.h"
#include "exec/loop/ready.h"
#include "exec/thread/whole_worker.h"
#include "forest/live.h"
#include "interleave/policies.h"
#include "sched/world.h"

#define REGIONS 2

static struct fg_biased_side side[2];
static struct fg_live_thread notes[2];
static struct fg_entity met_by;
static _Thread_local uint64_t time_now; /* of each thief, so that each has a look and may move a team */
static unsigned alive;			/* plain: the region's own thread writes it where no thief may look */

static uint64_t
now(void)
{
	return time_now;
}

static void
setup_homes(void)
{
	fg_membarrier_usable = false;
	setup();
	const char *why;
	fg_policy_start(&fg_policy, &fg_sched_default, NULL, &why);
	fg_policies.wants = fg_sched_wants(fg_policy.sched);
	fg_policies.homes = true;
	top->kinds = 1u << FG_MACHINE;
	for (unsigned i = 0; i < 4; i++) {
		node[i / 2].kinds = 1u << FG_NUMA_NODE;
		node[i / 2].domain = leaf[i]->domain = &node[i / 2];
	}
	fg_homes_begin(top);
	fg_homes_staff(top->n_pus);
	fg_add_relaxed(&node[0].teams, 1);
	fg_world.now = now;
	for (unsigned i = 0; i < 2; i++)
		fg_live_add(&side[i]);
	fg_live_list(&notes[0], &met_by);
	told = 42;
}

static void
meet(unsigned size)
{
	bubble_begin(&bubble, NULL, size);
	bubble.noted = true;
	alive = 1;
	fg_live_begin(&notes[0], &met_by, &side[0], &bubble, 0);
	fg_own_store_relaxed(&met_by.met, &bubble);
	struct fg_runqueue *queue = fg_policy_born(&bubble, leaf[0], leaf[0]);
	if (queue)
		fg_runqueue_push(queue, &bubble.entity);
}

static void
end(void)
{
	fg_own_store_relaxed(&met_by.met, NULL);
	fg_live_end(&notes[0], &side[0], &bubble);
	fg_home_end(&bubble);
	alive = 0;
}

/* The one worker of the first domain runs members there, and waits for those that others run. The broken variant does
 * not wait. */
static void
meets(void)
{
	for (unsigned i = 0; i < REGIONS; i++) {
		meet(2);
		while (fg_load_acquire(&bubble.unfinished) != 1) {
			if (look(leaf[0], false) || look(leaf[1], false))
				continue;
			if (model_broken("no join"))
				break;
			fg_carrier->pause();
		}
		end();
	}
	fg_store_release(&over, 1);
}

/* It comes from the other domain, then runs what lies there: what another thief has brought, or the next region, which
 * begins there (fg_home_begin). */
static void
rob(unsigned pu, uint64_t at)
{
	struct fg_claim claim = {0};
	time_now = at;
	if (fg_policy_idle(leaf[pu], 1, &claim) || fg_runqueue_claim(leaf[pu], FG_NEWEST, false, &claim)) {
		model_assert(claim.bubble == &bubble && alive == 1 && fg_home_of(&bubble).n == 2);
		runs(&claim);
	}
	while (!fg_load_acquire(&over))
		if (!look(leaf[pu], false) && !look(leaf[pu ^ 1], false))
			fg_carrier->pause();
}

static void
robs(void)
{
	rob(2, UINT64_C(10000000000));
}

static void
robs_too(void)
{
	rob(3, UINT64_C(20000000000));
}

static void
check_homes(void)
{
	model_assert(claims[1] == REGIONS && !fg_load_relaxed(&bubble.home));
	model_assert(fg_load_relaxed(&node[0].teams) == 1 && fg_load_relaxed(&node[1].teams) == 0);
	model_assert(fg_load_relaxed(&fg_homes.wide) == 0 && fg_load_relaxed(&fg_homes.lone) == 0);
	nothing_left();
}
MODEL_SCENARIO(home_moves, .setup = setup_homes, .thread = {meets, robs}, .check = check_homes,
	       .broken = MODEL_BROKEN("fault no join", "drop set:store_relaxed",
				      "weaken fg_spinlock_unlock:exchange_acq_rel",
				      "weaken fg_spinlock_lock:cas_acquire"));
MODEL_SCENARIO(home_moves_once, .setup = setup_homes, .thread = {meets, robs, robs_too}, .check = check_homes,
	       .broken = MODEL_BROKEN("fault no join", "drop set:store_relaxed"));

/* The thread that met the region waits. It becomes ready while a thief moves its team. Wherever it lies or runs then,
 * it comes along. */
static struct fg_identity waits; /* it is a donor */
static struct fg_whole_worker last;
static struct fg_atomic_u32 robbed, ended;

static void
setup_waits(void)
{
	setup_homes();
	fg_store_relaxed(&last.worker.leaf, leaf[0]);
	waits = (struct fg_identity){.entity.kind = FG_ENTITY_THREAD, .worker = &last.worker, .kind = FG_DONOR};
	fg_live_list(&notes[1], &waits.entity);
	bubble_begin(&bubble, NULL, 2);
	bubble.noted = true;
	fg_live_begin(&notes[1], &waits.entity, &side[0], &bubble, 0);
	fg_store_relaxed(&waits.entity.met, &bubble);
	fg_policy_born(&bubble, leaf[0], leaf[0]);
}

static void
wakes(void)
{
	floor_root(true);
	fg_worker_ready(&waits);
}

/* Claims the thread or the member. true: the thread. */
static bool
finds(struct fg_runqueue *queue)
{
	struct fg_claim claim = {0};
	if (!fg_runqueue_claim(queue, FG_NEWEST, false, &claim))
		return false;
	if (claim.thread)
		return true;
	runs(&claim);
	return false;
}

/* At each switch point the thread leaves if it was sent. */
static void
old_worker(void)
{
	floor_root(true);
	while (!fg_load_acquire(&ended)) {
		if (!finds(leaf[0]) && !finds(leaf[1])) {
			fg_carrier->pause();
			continue;
		}
		while (!fg_load_acquire(&robbed))
			fg_carrier->pause();
		if (fg_load_relaxed(&waits.entity.sent)) {
			fg_worker_ready(&waits);
			continue;
		}
		model_assert(!fg_home_of(&bubble).moved);
		fg_store_release(&ended, 1);
	}
}

static void
new_worker(void)
{
	struct fg_claim claim = {0};
	time_now = UINT64_C(10000000000);
	bool thread = fg_policy_idle(leaf[2], 1, &claim) && claim.thread;
	if (claim.bubble)
		runs(&claim);
	fg_store_release(&robbed, 1);
	while (!thread && !fg_load_acquire(&ended)) {
		thread = finds(leaf[2]) || finds(leaf[3]);
		if (!thread)
			fg_carrier->pause();
	}
	model_assert(!thread || fg_home_of(&bubble).moved);
	fg_store_release(&ended, 1);
}

static void
check_waits(void)
{
	model_assert(fg_load_relaxed(&ended) == 1 && !fg_load_relaxed(&waits.entity.holder));
	for (unsigned i = 0; i < 4; i++)
		while (fgomp_queue_count(leaf[i]))
			model_assert(!finds(leaf[i]));
	model_assert(claims[1] == 1);
}
MODEL_SCENARIO(home_follows, .setup = setup_waits, .thread = {wakes, new_worker, old_worker}, .check = check_waits,
	       .broken = MODEL_BROKEN("drop fg_live_tree_send:store_release",
				      "weaken fg_spinlock_unlock:exchange_acq_rel"));

/* A team of two, and the teams that its members have met. One of these has a member that is not born. The region of the
 * other one ends, while a thief moves all three. */
static struct fg_bubble ending;
static struct fg_entity ends_it;

static void
settle(struct fg_live_thread *thread, struct fg_entity *entity, struct fg_bubble *made, unsigned number)
{
	struct fg_home_plan plan;
	fg_live_begin(thread, entity, &side[0], made, number);
	model_assert(fg_home_begin(fg_policy.self, made, leaf[0], 0, &plan));
	fgomp_memory_free(plan.open);
}

static void
setup_subtree(void)
{
	setup_homes();
	fg_add_relaxed(&node[0].teams, 2);
	fg_live_list(&notes[1], &ends_it);
	bubble_begin(&bubble, NULL, 2);
	bubble.noted = true;
	settle(&notes[0], &met_by, &bubble, 0);
	bubble_begin(&ending, &bubble, 2);
	ending.noted = true;
	settle(&notes[1], &ends_it, &ending, 1);
	bubble_begin(&inner, &bubble, 2);
	inner.noted = true;
	settle(&notes[0], &met_by, &inner, 0);
	fg_runqueue_push(leaf[0], &inner.entity);
}

static void
ends(void)
{
	if (model_broken("the home ends in the tree"))
		fg_home_end(&ending);
	fg_live_end(&notes[1], &side[1], &ending);
	fg_home_end(&ending);
}

static void
robs_subtree(void)
{
	struct fg_claim claim = {0};
	time_now = UINT64_C(10000000000);
	fg_policy_idle(leaf[2], 1, &claim);
	model_assert(fg_home_of(&inner).moved && fg_home_of(&bubble).moved);
	while (look(leaf[2], false) || look(leaf[3], false))
		;
}

static void
check_subtree(void)
{
	model_assert(inner_claims[1] == 1 && !fg_load_relaxed(&ending.home));
	fg_home_end(&inner);
	fg_home_end(&bubble);
	model_assert(fg_load_relaxed(&node[0].teams) == 3 && fg_load_relaxed(&node[1].teams) == 0);
	nothing_left();
}
MODEL_SCENARIO(home_subtree, .setup = setup_subtree, .thread = {ends, robs_subtree}, .check = check_subtree,
	       .broken = MODEL_BROKEN("fault the home ends in the tree"));
