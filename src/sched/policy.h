/* Bubble scheduler (policy): where bubbles go and who steals what (floor: sched; called by exec through the table).
 *
 * A policy is pure: it sees entities, runqueues and levels, never the operating system, a kernel thread or another floor's lock. */
#pragma once
#include "forest/runqueue.h"

struct fg_policy {
	const char *name;
	const char *summary; /* one line for --help */
	/* The runqueue for a new bubble met by a thread that runs on the PU of `leaf`. */
	struct fg_runqueue *(*submit)(struct fg_bubble *bubble, struct fg_runqueue *leaf);
	/* Something for an idle PU, beyond its own runqueue and those above it. `turn` counts the attempts since it went idle. */
	bool (*steal)(struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim);
	/* Flat teams: the PU (logical number, below machine->n_pus) of each of the first `n_slots` members. */
	void (*place)(struct fg_runqueue *machine, unsigned n_slots, unsigned *pus);
};

extern const struct fg_policy fg_policy_spread, fg_policy_steal, fg_policy_default;

/* The policy of that name, or NULL. */
const struct fg_policy *fg_policy_find(const char *name);
/* The policy in force: FGOMP_SCHED. */
extern const struct fg_policy *fg_policy;
