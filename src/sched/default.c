/* Policy `default`: it places flat teams as `spread`, and steals as `steal` (floor: sched). */
#include "sched/policy.h"
#include "sched/steal.h"

/* The choice rests on measurements: docs/schedulers.md. */
const struct fgomp_sched fg_sched_default = {
	.abi = FGOMP_SCHED_ABI,
	.name = "default",
	.summary = "spread for flat teams, steal for nested ones",
	.idle = fg_steal_idle,
};
