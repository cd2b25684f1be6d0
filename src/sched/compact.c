/* Policy `compact`, for flat teams smaller than the machine: the members sit on neighbouring PUs, so that they share as
 * few caches as possible (floor: sched). Nested regions are placed as by `spread`. */
#include "platform/memory.h"
#include "sched/decision.h"
#include "sched/policy.h"
#include "sched/spread.h"
#include "sched/steal.h"

/* Where members outnumber the PUs, neighbours share one. */
static void
place(void *self, struct fg_bubble *team, struct fg_runqueue *top)
{
	(void)self;
	unsigned room = fgomp_bubble_entities(team), pus = fgomp_queue_n_pus(top);
	struct fg_entity **member = fg_memory_get(room * sizeof *member);
	fg_reason("to place its members");
	unsigned n = member ? fgomp_bubble_burst(team, member) : 0;
	fg_reason(n <= pus ? "neighbours sit on neighbouring PUs" : "more members than PUs: neighbours share one");
	for (unsigned i = n; i-- > 0;) {
		unsigned pu = n <= pus ? i : (unsigned)((unsigned long)i * pus / n);
		fgomp_put(member[i], fgomp_queue_of_pu(top, fgomp_queue_first_pu(top) + pu));
	}
	if (n == 0)
		fgomp_put(fgomp_bubble_entity(team), top);
	fg_memory_free(member);
}

const struct fgomp_sched fg_sched_compact = {
	.abi = FGOMP_SCHED_ABI,
	.name = "compact",
	.summary = "members of a small flat team on neighbouring PUs; nested ones as spread",
	.place = place,
	.born = fg_spread_born,
	.idle = fg_steal_idle,
};
