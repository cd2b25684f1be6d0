/* Policy `default` (floor: sched). */
#include "sched/policy.h"
#include "sched/steal.h"

/* By evidence: docs/schedulers.md. */
const struct fgomp_sched fg_sched_default = {
	.abi = FGOMP_SCHED_ABI,
	.name = "default",
	.summary = "spread for flat teams, steal for nested ones",
	.idle = fg_steal_idle,
};
