/* Trails (floor: sim; here.c uses it): they count migrations of identities between PUs. */
#include "sim/sim.h"

/* Where each identity ran last. An identity that goes on elsewhere has migrated. */
struct trail {
	const struct fg_identity *identity;
	unsigned pu;
};
#define TRAILS 65536
static struct trail trails[TRAILS];

void
fg_trail_note(const struct fg_identity *self)
{
	size_t slot = (uintptr_t)self / 64 * UINT64_C(0x9e3779b97f4a7c15) >> 40 & (TRAILS - 1);
	for (unsigned i = 0; i < 8 && trails[slot].identity && trails[slot].identity != self; i++)
		slot = (slot + 1) & (TRAILS - 1);
	struct trail *trail = &trails[slot];
	if (trail->identity == self && trail->pu != fg_sim.pu) {
		fg_sim.pus[fg_sim.pu].migrations++;
		fg_sim.distance_migrations[fg_sim_distance(trail->pu, fg_sim.pu)]++;
	}
	*trail = (struct trail){self, fg_sim.pu};
}
