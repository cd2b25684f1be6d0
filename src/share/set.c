/* Set (floor: share): see set.h. */
#include "share/set.h"

static bool
must_yield(const struct fg_set *set, const struct fg_pus *lower)
{
	for (unsigned i = 1; i < set->n; i++)
		if (fg_pus_has(lower, set->pus[i]))
			return true;
	return false;
}

bool
fg_set_look(struct fg_set *set, enum fg_choice choice, const struct fg_distances *distances,
	    const struct fg_request *request, unsigned wanted, const struct fg_pus *lower, const struct fg_pus *others)
{
	unsigned free = fg_choice_free(distances, others, request->pu);
	bool is_same = set->n && set->pus[0] == request->pu && set->asked == wanted;
	bool has_enough = set->free >= wanted || free <= set->free;
	if (is_same && has_enough && !must_yield(set, lower))
		return false;
	set->n = fg_choice_make(choice, distances, others, request, wanted, set->pus);
	set->asked = wanted;
	set->free = free;
	return true;
}
