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

unsigned
fg_set_origin(struct fg_set *set, const struct fg_distances *distances, unsigned root, unsigned wanted,
	      const struct fg_pus *lower, const struct fg_pus *others)
{
	unsigned own = set->n ? set->pus[0] : root;
	if (!fg_pus_has(set->n ? lower : others, own))
		return own;
	struct fg_request request = {.pu = own, .largest = wanted + 1};
	set->n = fg_choice_make(FG_CHOICE_CLUSTERING, distances, others, &request, wanted + 1, set->pus);
	own = set->n > 1 ? set->pus[1] : own;
	set->n = 0;
	return own;
}

unsigned
fg_set_uses(const struct fg_set *set, unsigned granted)
{
	return set->n < granted && set->free >= granted ? set->n : granted;
}
