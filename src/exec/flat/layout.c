/* Layout (floor: exec): see layout.h. */
#include "exec/flat/layout.h"

#include <string.h>

#include "base/atomic.h"
#include "exec/donor/donor.h"
#include "exec/flat/placement.h"
#include "exec/ground/options.h"
#include "exec/pool/hiring.h"
#include "exec/pool/part.h"
#include "exec/thread/levels.h"
#include "exec/thread/root_state.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "platform/memory.h"
#include "sched/policy.h"
#include "trace/format.h"

bool
fg_layout_same(const struct fg_root *root, unsigned size, const uint16_t *slot_of)
{
	if (root->size != size || (root->by_place && !root->planned) != (slot_of != NULL))
		return false;
	return !slot_of || memcmp(root->slot_of, slot_of, size * sizeof *slot_of) == 0;
}

/* Makes room for member k in one of the root's sets. The array grows with the members. So a size beyond all limits
 * touches no more memory than the system's threads need. */
static bool
set_make_room(struct fg_root *root, unsigned set, unsigned k)
{
	if (k < root->n_members[set])
		return true;
	size_t room = k < 32 ? 64 : 2 * (size_t)k;
	struct fg_identity **members = fg_memory_resize(root->members[set], room * sizeof *members);
	if (!members)
		return false;
	memset(members + root->n_members[set], 0, (room - root->n_members[set]) * sizeof *members);
	root->members[set] = members;
	root->n_members[set] = (unsigned)room;
	return true;
}

bool
fg_layout_members(struct fg_root *root, unsigned size, unsigned slots, void (*donor_entry)(void))
{
	bool several = fg_hiring_several();
	assert(size > 0 && slots > 0 && slots <= size && !fg_load_stable(&root->identity.in_runtime));
	for (unsigned k = 1; k < size; k++) {
		if (!set_make_room(root, root->by_place, k))
			return false;
		struct fg_identity **members = root->members[root->by_place];
		if (members[k])
			continue;
		struct fg_worker *worker = !root->by_place && k < slots ? fg_slot(root->dock.slot, k) : NULL;
		if (worker && !fg_parts(worker)->hire.home_root && !several) {
			assert(fg_load_stable(&worker->post) == &root->dock.berth[k] && worker->home->kind == FG_HOME);
			fg_parts(worker)->hire.home_root = root;
			worker->home->member = k;
			members[k] = worker->home;
			continue;
		}
		struct fg_identity *donor = fg_donor_new(donor_entry);
		if (!donor)
			return false;
		assert(donor->kind == FG_DONOR && donor->member == 0);
		donor->member = k;
		members[k] = donor;
	}
	return true;
}

unsigned
fg_layout_by_place(struct fg_root *root, unsigned size, const uint16_t *slot_of)
{
	uint16_t *copy = fg_memory_resize(root->slot_of, size * sizeof *copy);
	unsigned slots = 0;
	if (!copy)
		return 0;
	memcpy(copy, slot_of, size * sizeof *copy);
	root->slot_of = copy;
	for (unsigned k = 0; k < size; k++)
		if (slots <= copy[k])
			slots = copy[k] + 1u;
	return slots;
}

bool
fg_layout_on_one(struct fg_root *root, unsigned size)
{
	uint16_t *slot_of = fg_memory_resize(root->slot_of, size * sizeof *slot_of);
	if (!slot_of)
		return false;
	memset(slot_of, 0, size * sizeof *slot_of);
	root->slot_of = slot_of;
	return true;
}

/* A plan matters if there are fewer members than PUs, or if the policy does more than to spread the members. */
static bool
worth_a_plan(const struct fg_root *root, unsigned size, const struct fg_runqueue *part)
{
	unsigned pus = part->n_pus;
	bool steals = fg_policy_steals(), places = fg_policy.sched->place, loads = root->n_loads == size;
	if (fg_exec_options.n_pus == 1 || root->by_place)
		return false;
	if (size < pus)
		return steals || places;
	return steals && (loads || (places && (size > pus || root->areas)));
}

void
fg_layout_tell(struct fg_root *root, unsigned size, const float *loads)
{
	size_t bytes = size * sizeof *loads;
	if (loads ? root->n_loads == size && !memcmp(loads, root->loads, bytes) : !root->loads)
		return;
	float *copy = loads ? fg_memory_get(bytes) : NULL;
	if (copy)
		memcpy(copy, loads, bytes);
	fg_memory_free((void *)root->loads);
	root->loads = copy;
	root->n_loads = copy ? size : 0;
	root->size = 0;
}

void
fg_layout_pin(struct fg_root *root, const uint16_t *pus)
{
	if (root->pin == pus)
		return;
	root->pin = pus;
	root->size = 0;
}

struct weight {
	double load;
	unsigned members;
};

/* Returns the load and the members on the level. */
static struct weight
weigh(const struct fg_runqueue *level, const struct weight *on)
{
	struct weight sum = {0};
	for (unsigned pu = level->first_pu; pu < level->first_pu + level->n_pus; pu++) {
		sum.load += on[pu].load;
		sum.members += on[pu].members;
	}
	return sum;
}

/* False: one part below the level has too much, or one part of a part. The share is by PUs, of the load of the level
 * right above the part. */
static bool
is_even(struct fg_runqueue *level, const struct weight *on)
{
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	double load = weigh(level, on).load;
	for (unsigned i = 0; below && i < below->n; i++) {
		struct fg_runqueue *part = below->queue[i];
		struct weight weight = weigh(part, on);
		if (weight.members > 1 && weight.load * level->n_pus * 8 > load * part->n_pus * 9)
			return false;
		if (!is_even(part, on))
			return false;
	}
	return true;
}

static unsigned
pu_of(const struct fg_root *root, unsigned k)
{
	assert(k < root->size && (root->by_place ? root->slot_of[k] < root->slots : root->slots > 0));
	return root->pus[root->by_place ? root->slot_of[k] : k % root->slots];
}

void
fg_layout_trace(const struct fg_root *root)
{
	enum fg_trace_seat by = root->by_policy	 ? FG_TRACE_SEAT_POLICY
				: root->by_place ? FG_TRACE_SEAT_PLACES
						 : FG_TRACE_SEAT_ROUND;
	for (unsigned k = 0; k < root->size; k++)
		fg_trace_slow(FG_EVENT_seat, root->meets, k, pu_of(root, k), by);
}

static bool
is_balanced(const struct fg_root *root, const float *loads)
{
	struct weight *on = fg_memory_zeroed(fg_exec_options.n_pus * sizeof *on);
	for (unsigned k = 0; on && k < root->size; k++) {
		unsigned pu = pu_of(root, k);
		on[pu].load += (double)loads[k];
		on[pu].members++;
	}
	bool balanced = !on || is_even(fg_levels_top(), on);
	fg_memory_free(on);
	return balanced;
}

bool
fg_layout_is_balanced(struct fg_root *root, unsigned size, const float *loads)
{
	void *nobody = NULL;
	if (!fg_cas_acquire(&root->dock.owner, &nobody, root))
		return true;
	bool balanced = root->size != size || is_balanced(root, loads);
	fg_store_release(&root->dock.owner, NULL);
	return balanced;
}

bool
fg_layout_pus(struct fg_root *root, unsigned size, unsigned *pu)
{
	void *nobody = NULL;
	if (!fg_cas_acquire(&root->dock.owner, &nobody, root))
		return false;
	bool known = root->size == size;
	for (unsigned k = 0; known && k < size; k++)
		pu[k] = pu_of(root, k);
	fg_store_release(&root->dock.owner, NULL);
	return known;
}

void
fg_layout_return(struct fg_root *root, unsigned size, const float *loads, const unsigned *pu)
{
	struct fg_bubble *team = &root->plan.team;
	fg_layout_tell(root, size, loads);
	root->size = 0;
	for (unsigned k = 0; pu && k < size && k < team->n_members; k++)
		team->members[k].entity.last_pu = (uint16_t)pu[k];
}

/* There is one worker for each PU that has members. The first member of each gives their order. */
static unsigned
follow_plan(struct fg_root *root)
{
	const struct fg_placement *plan = &root->plan;
	unsigned n_pus = fg_exec_options.n_pus, slots = 0;
	uint16_t *slot_of = fg_memory_resize(root->slot_of, plan->size * sizeof *slot_of);
	if (slot_of)
		root->slot_of = slot_of;
	uint16_t *slot_on = slot_of ? fg_memory_zeroed(n_pus * sizeof *slot_on) : NULL; /* slot + 1 */
	if (!slot_on)
		return 0;
	for (unsigned k = 0; k < plan->size; k++) {
		unsigned pu = plan->pu[k];
		if (!slot_on[pu]) {
			root->pus[slots] = pu;
			root->range[slots] = plan->range[k];
			slot_on[pu] = (uint16_t)++slots;
		}
		slot_of[k] = slot_on[pu] - 1;
	}
	fg_memory_free(slot_on);
	assert(slots > 0 && slots <= n_pus && slots <= plan->size);
	root->planned = root->by_place = slots < plan->size;
	for (unsigned i = 0; root->planned && i < slots; i++)
		root->range[i] = NULL;
	return slots;
}

bool
fg_layout_place(struct fg_root *root, unsigned size, unsigned *slots)
{
	unsigned n_pus = fg_exec_options.n_pus;
	if (!fg_placement_room(&root->pus, &root->range, *slots > n_pus ? *slots : n_pus))
		return false;
	struct fg_runqueue *part = fg_part_find(root, *slots);
	for (unsigned i = 0; i < *slots; i++) {
		root->pus[i] = root->pin ? root->pin[i] : part ? part->first_pu + i : FG_PU_LATER;
		root->range[i] = NULL;
	}
	root->planned = root->by_policy = false;
	const float *loads = root->n_loads == size ? root->loads : NULL;
	if (!part || !worth_a_plan(root, size, part) ||
	    !fg_placement_make(&root->plan, part, size, loads, root->areas, root->meets))
		return true;
	root->by_policy = true;
	*slots = follow_plan(root);
	return *slots != 0;
}

static struct fg_identity *
dissolve(struct fg_root *root, struct fg_identity *list)
{
	for (unsigned set = 0; set < 2; set++)
		for (unsigned k = 1; k < root->n_members[set]; k++) {
			struct fg_identity *member = root->members[set][k];
			root->members[set][k] = NULL;
			if (!member || member->kind != FG_DONOR)
				continue;
			assert(member->member == k && !fg_load_stable(&member->entity.holder) && !member->in_crew.lent);
			member->next = list;
			list = member;
		}
	root->size = root->slots = 0;
	return list;
}

struct fg_identity *
fg_layout_dissolve(struct fg_identity *list)
{
	FG_EACH_WORKER (worker)
		if (worker->home->root)
			list = dissolve(worker->home->root, list);
	return list;
}
