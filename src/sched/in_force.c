/* The policies in force (floor: sched): see in_force.h. */
#include "sched/in_force.h"

/* The table until one is chosen. It names no function of a policy, because the files of policies use this file, and no
 * circle is allowed. fg_policy_idle steals in its place. */
const struct fgomp_sched fg_sched_unchosen = {
	.abi = FGOMP_SCHED_ABI,
	.name = "default",
	.summary = "no policy is chosen so far",
};

struct fg_policy fg_policy = {.sched = &fg_sched_unchosen};
struct fg_policies fg_policies = {.wants = FG_WANTS_IDLE};
