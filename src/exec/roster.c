/* Rosters (floor: exec): see roster.h. */
#include "exec/roster.h"

#include <stdlib.h>
#include <string.h>

#include "exec/dock.h"
#include "exec/machine.h"
#include "exec/options.h"
#include "sched/policy.h"

bool
fg_roster_same(const struct fg_root *root, unsigned size, const uint16_t *slot_of)
{
	if (root->size != size || root->by_place != (slot_of != NULL))
		return false;
	return !slot_of || memcmp(root->slot_of, slot_of, size * sizeof *slot_of) == 0;
}

/* It grows with the members: of a size beyond all limits no more than the system can give is ever touched. */
bool
fg_roster_room(struct fg_root *root, unsigned set, unsigned k)
{
	if (k < root->n_members[set])
		return true;
	size_t room = k < 32 ? 64 : 2 * (size_t)k;
	struct fg_identity **members = realloc(root->members[set], room * sizeof *members);
	if (!members)
		return false;
	memset(members + root->n_members[set], 0, (room - root->n_members[set]) * sizeof *members);
	root->members[set] = members;
	root->n_members[set] = (unsigned)room;
	return true;
}

bool
fg_roster_members(struct fg_root *root, unsigned size, unsigned slots, void (*donor_entry)(void))
{
	for (unsigned k = 1; k < size; k++) {
		if (!fg_roster_room(root, root->by_place, k))
			return false;
		struct fg_identity **members = root->members[root->by_place];
		if (members[k])
			continue;
		struct fg_worker *worker = !root->by_place && k < slots ? fg_dock_worker(k) : NULL;
		if (worker && !worker->home_root) {
			worker->home_root = root;
			members[k] = worker->home;
			continue;
		}
		struct fg_identity *donor = fg_identity_donor(donor_entry);
		if (!donor)
			return false;
		donor->member = k;
		members[k] = donor;
	}
	return true;
}

unsigned
fg_roster_by_place(struct fg_root *root, unsigned size, const uint16_t *slot_of)
{
	uint16_t *copy = realloc(root->slot_of, size * sizeof *copy);
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
fg_roster_place(struct fg_root *root, unsigned slots)
{
	unsigned *pus = realloc(root->pus, slots * sizeof *pus);
	if (!pus)
		return false;
	root->pus = pus;
	for (unsigned i = 0; i < slots; i++)
		pus[i] = i;
	if (slots < fg_exec_options.n_pus && fg_policy->steal && !root->by_place) {
		fg_machine_deepen();
		(fg_policy->place ? fg_policy->place : fg_policy_spread.place)(fg_machine_top(), slots, pus);
	}
	return true;
}

struct fg_identity *
fg_roster_dissolve(struct fg_root *root, struct fg_identity *list)
{
	for (unsigned set = 0; set < 2; set++)
		for (unsigned k = 1; k < root->n_members[set]; k++) {
			struct fg_identity *member = root->members[set][k];
			root->members[set][k] = NULL;
			if (!member || member->kind != FG_DONOR)
				continue;
			member->next = list;
			list = member;
		}
	root->size = root->slots = 0;
	return list;
}
