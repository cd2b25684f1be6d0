/* Policy `random`: as `steal`, but the victim is any PU with the same probability, as in Cilk (floor: sched). It is the
 * papers' baseline (Broquedis et al., IWOMP 2008, section 4: stealing that does not look at the machine). */
#include "sched/decision.h"
#include "sched/policy.h"

#define TRIES 8

static bool
idle(void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim)
{
	(void)turn;
	struct fg_runqueue *top = leaf;
	fg_reason("the oldest on a random PU");
	for (struct fg_runqueue *up; (up = fgomp_queue_above(self, top));)
		top = up;
	for (unsigned i = 0; i < TRIES; i++) {
		unsigned pu = fgomp_queue_first_pu(top) + (unsigned)(fgomp_sched_random() % fgomp_queue_n_pus(top));
		if (fgomp_claim_oldest(fgomp_queue_of_pu(top, pu), true, claim))
			return true;
	}
	return false;
}

const struct fgomp_sched fg_sched_random = {
	.abi = FGOMP_SCHED_ABI,
	.name = "random",
	.summary = "as steal, but from any PU, whatever the distance",
	.idle = idle,
};
