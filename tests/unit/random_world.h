/* A world of bubbles and ready threads on a random machine, and the random operations that change it (for
 * sched_properties.c). Each thread throws dice of its own. */
#pragma once
#include "fake_machine.h"

#include <math.h>
#include <string.h>

#define MAX_BUBBLES 64
#define MAX_MEMBERS 12
#define MAX_READY 16

static uint64_t seed = 1;

/* Of the thread: xorshift. */
static __thread uint64_t dice;

static uint64_t throw(void)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return dice;
}

static unsigned
below(unsigned n)
{
	return n ? (unsigned)((throw() >> 11) % n) : 0;
}

static void
begin(uint64_t number)
{
	dice = (seed * 1000003 + number) * UINT64_C(0x9e3779b97f4a7c15) | 1;
	for (int i = 0; i < 4; i++)
		throw();
}

/* ---- The world ---- */

struct ready {
	struct fg_entity entity;
	struct fg_atomic_u32 claimed;
};

static struct {
	struct fg_runqueue *top;
	unsigned n_pus;
	struct fg_bubble bubble[MAX_BUBBLES];
	float loads[MAX_BUBBLES][MAX_MEMBERS];
	struct fg_atomic_u32 claimed[MAX_BUBBLES][MAX_MEMBERS]; /* how often */
	struct fg_atomic_u32 n_bubbles;
	struct ready ready[MAX_READY];
	struct fg_atomic_u32 n_ready;
	struct fg_atomic_u32 threads; /* pushed, not claimed */
} world;

#define N_BUBBLES fg_load_acquire(&world.n_bubbles)
#define THREADS fg_load_acquire(&world.threads)

static const char *const machines[] = {"pu:1",
				       "core:2 pu:1",
				       "numa:4 core:4 pu:1",
				       "numa:8 core:2 pu:1",
				       "package:2 l3:2 core:4 pu:1",
				       "package:2 core:4 pu:2",
				       "p(......)p(..)",
				       "n(....)n(.)n(...)",
				       "n(....)n(.x..)n(..xx)n(....)",
				       "2(c(..))2(c(..))2(....)",
				       "numa:2 l3:2 core:3 pu:1",
				       "n(3(..)3(.))n(3(...)3(c(..).))"};

static void
world_begin(const char *machine)
{
	memset(&world, 0, sizeof world);
	world.top = fake_machine(machine);
	world.n_pus = fgomp_queue_n_pus(world.top);
}

static void
world_end(void)
{
	for (unsigned i = 0; i < N_BUBBLES; i++)
		fg_bubble_free(&world.bubble[i]);
	fake_free(world.top);
}

static struct fg_runqueue *
any_leaf(void)
{
	return fgomp_queue_of_pu(world.top, below(world.n_pus));
}

/* From a leaf some levels upwards. */
static struct fg_runqueue *
any_level(struct fg_runqueue *leaf)
{
	while (fgomp_queue_parent(leaf) && below(2))
		leaf = fgomp_queue_parent(leaf);
	return leaf;
}

static void
counted(const struct fg_claim *claim)
{
	assert_true(claim->bubble || claim->thread);
	fg_sub_acq_rel(&world.threads, 1);
	if (claim->thread) {
		assert_int_equal(fg_add_relaxed(&((struct ready *)claim->thread)->claimed, 1), 0);
		return;
	}
	unsigned number = (unsigned)(claim->bubble - world.bubble);
	assert_true(number < N_BUBBLES);
	assert_in_range(claim->member, 1, claim->bubble->size - 1);
	assert_int_equal(fg_add_relaxed(&world.claimed[number][claim->member], 1), 0);
}

/* ---- Operations. Those on a whole level act as a policy would; all keep the promises of the public header ---- */

static void
born(void)
{
	unsigned number = fg_load_relaxed(&world.n_bubbles);
	if (number == MAX_BUBBLES)
		return;
	struct fg_bubble *bubble = &world.bubble[number],
			 *parent = number && below(3) ? &world.bubble[below(number)] : NULL;
	struct fg_runqueue *leaf = any_leaf();
	fg_bubble_init(bubble, 2 + below(MAX_MEMBERS - 1));
	bubble->entity.bubble = parent;
	bubble->entity.last_pu = FG_NO_PU;
	bubble->depth = parent ? parent->depth + 1 : 0;
	bubble->entity.load = below(3) ? 0 : (float)(1 + below(50));
	if (below(2)) {
		for (unsigned k = 0; k < bubble->size; k++)
			world.loads[number][k] = (float)(1 + below(20));
		bubble->loads = world.loads[number];
	}
	fg_store_release(&world.n_bubbles, number + 1);
	fg_add_acq_rel(&world.threads, bubble->size - 1);
	struct fg_runqueue *queue = fg_policy_born(bubble, any_level(leaf), leaf);
	if (queue)
		fg_runqueue_push(queue, &bubble->entity);
}

static void
wake(void)
{
	unsigned number = fg_load_relaxed(&world.n_ready);
	if (number == MAX_READY || N_BUBBLES == 0)
		return;
	struct fg_entity *thread = &world.ready[number].entity;
	thread->kind = FG_ENTITY_THREAD;
	thread->bubble = &world.bubble[below(N_BUBBLES)];
	thread->last_pu = FG_NO_PU;
	fg_store_release(&world.n_ready, number + 1);
	fg_add_acq_rel(&world.threads, 1);
	struct fg_runqueue *home = any_leaf();
	fg_runqueue_push(fg_policy_woken(thread, home, home), thread);
}

static bool
look_up(struct fg_runqueue *leaf, struct fg_claim *claim)
{
	for (struct fg_runqueue *queue = leaf; queue; queue = fgomp_queue_parent(queue))
		if (fg_runqueue_claim(queue, FG_NEWEST, below(2), claim))
			return true;
	return false;
}

static bool
run(struct fg_runqueue *leaf, unsigned turn)
{
	struct fg_claim claim = {0};
	bool found = look_up(leaf, &claim) || fg_policy_idle(leaf, turn, &claim);
	if (found)
		counted(&claim);
	return found;
}

/* A share in the bubble: a member of it runs. Only where that is known is it claimed by its name. */
static bool
held(unsigned number)
{
	for (unsigned k = 1; k < world.bubble[number].size; k++)
		if (fg_load_acquire(&world.claimed[number][k]))
			return true;
	return false;
}

static void
claim_by_name(void)
{
	unsigned number = below(N_BUBBLES);
	if (N_BUBBLES == 0 || !held(number))
		return;
	struct fg_claim claim = {.bubble = &world.bubble[number],
				 .member = fg_bubble_claim(&world.bubble[number]).member};
	if (claim.member)
		counted(&claim);
}

/* Within a level that is locked as a whole some entity is burst, moved, or put into a bubble of its kin. */
static struct fg_entity *
any_below(struct fg_runqueue *level)
{
	for (int i = 0; i < 8; i++) {
		struct fg_runqueue *queue =
			fgomp_queue_of_pu(level, fgomp_queue_first_pu(level) + below(fgomp_queue_n_pus(level)));
		while (queue != level && below(2))
			queue = fgomp_queue_parent(queue);
		struct fg_entity *entity = fgomp_holder_first(fgomp_queue_holder(queue));
		while (entity && below(2) && fgomp_holder_next(fgomp_queue_holder(queue), entity))
			entity = fgomp_holder_next(fgomp_queue_holder(queue), entity);
		while (entity && fgomp_entity_bubble(entity) && below(2)) {
			struct fg_holder *holder = fgomp_bubble_holder(fgomp_entity_bubble(entity));
			struct fg_entity *inner = holder ? fgomp_holder_first(holder) : NULL;
			if (!inner)
				break;
			entity = inner;
		}
		if (entity)
			return entity;
	}
	return NULL;
}

static struct fg_runqueue *
queue_below(struct fg_runqueue *level)
{
	struct fg_runqueue *queue =
		fgomp_queue_of_pu(level, fgomp_queue_first_pu(level) + below(fgomp_queue_n_pus(level)));
	while (queue != level && below(2))
		queue = fgomp_queue_parent(queue);
	return queue;
}

static unsigned
threads_at(struct fg_runqueue *level)
{
	return fg_runqueue_threads(level);
}

static double
load_at(struct fg_runqueue *level)
{
	double load = 0;
	struct fg_holder *holder = fgomp_queue_holder(level);
	for (struct fg_entity *entity = fgomp_holder_first(holder); entity; entity = fgomp_holder_next(holder, entity))
		load += fgomp_entity_load(entity);
	for (unsigned c = 0; c < fgomp_queue_n_children(level); c++)
		load += load_at(fgomp_queue_child(level, c));
	return load;
}

static void
arrange_locked(struct fg_runqueue *level)
{
	/* Of all its kin, there may be more in a bubble than it has members. */
	struct fg_entity *entity = any_below(level), *room[MAX_BUBBLES * (MAX_MEMBERS + 1) + MAX_READY];
	if (!entity)
		return;
	struct fg_bubble *bubble = fgomp_entity_bubble(entity), *parent = fgomp_entity_parent(entity);
	double load = load_at(level);
	bool moved = false;
	switch (below(3)) {
	case 0: /* elsewhere */
		moved = fgomp_holder_queue(fgomp_entity_holder(entity));
		fgomp_take(entity);
		fgomp_put_locked(entity, queue_below(level));
		break;
	case 1: /* burst */
		if (bubble) {
			fgomp_take(entity);
			assert_in_range(fgomp_bubble_entities(bubble), 1, sizeof room / sizeof *room);
			unsigned all = fgomp_entity_threads(entity), some = 0, n = fgomp_bubble_burst(bubble, room);
			assert_true(n > 0);
			for (unsigned i = 0; i < n; i++)
				some += fgomp_entity_threads(room[i]);
			assert_int_equal(all, some);
			while (n-- > 0)
				fgomp_put_locked(room[n], queue_below(level));
		}
		break;
	default: /* home: into its bubble where that lies here, or all of its kin */
		if (!parent)
			break;
		if (fgomp_bubble_gather(parent, level)) {
			struct fg_entity *above = fgomp_bubble_entity(parent);
			if (!fgomp_entity_holder(above))
				fgomp_put_locked(above, queue_below(level));
			assert_true(fgomp_entity_holder(entity) == fgomp_bubble_holder(parent) ||
				    !fgomp_holder_queue(fgomp_entity_holder(entity)));
		}
	}
	if (moved) /* where no bubble of a load of its own is opened or closed, the load stays as it was */
		assert_true(fabs(load_at(level) - load) <= 1e-3 * load);
}

static void
arrange(void)
{
	struct fg_runqueue *level = any_level(any_leaf());
	fgomp_queue_lock_all(level);
	unsigned threads = threads_at(level);
	arrange_locked(level);
	assert_int_equal(threads_at(level), threads);
	fgomp_queue_unlock_all(level);
	assert_true(fg_policy_hand_empty(&fg_policy, level));
}

/* Fine: one queue is locked at a time, and no other thread can reach the entity between. */
static void
move(void)
{
	struct fg_runqueue *from = any_level(any_leaf()), *to = any_level(any_leaf());
	fgomp_queue_lock(from);
	struct fg_entity *entity = fgomp_holder_first(fgomp_queue_holder(from));
	if (entity)
		fgomp_take(entity);
	fgomp_queue_unlock(from);
	if (entity)
		fgomp_put(entity, to);
	assert_true(fg_policy_hand_empty(&fg_policy, to));
}
