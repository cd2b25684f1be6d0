/* The built-in policies by name, and the one in force (floor: sched). */
#include <stddef.h>
#include <string.h>

#include "sched/policy.h"

static struct fg_runqueue *
submit(struct fg_bubble *bubble, struct fg_runqueue *leaf)
{
	return fg_policy_steal.submit(bubble, leaf);
}

static bool
steal(struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim)
{
	return fg_policy_steal.steal(leaf, turn, claim);
}

static void
place(struct fg_runqueue *machine, unsigned n_slots, unsigned *pus)
{
	fg_policy_spread.place(machine, n_slots, pus);
}

const struct fg_policy fg_policy_default = {
	.name = "default",
	.summary = "spread for flat teams, steal for nested ones",
	.submit = submit,
	.steal = steal,
	.place = place,
};

static const struct fg_policy *const policies[] = {&fg_policy_default, &fg_policy_spread, &fg_policy_steal};

const struct fg_policy *fg_policy = &fg_policy_default;

const struct fg_policy *
fg_policy_find(const char *name)
{
	for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
		if (!strcmp(policies[i]->name, name))
			return policies[i];
	return NULL;
}
