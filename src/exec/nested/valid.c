/* Valid: the invariants of births, as a function for asserts (floor: exec; see birth.h). Builds without assert have
 * none of this. The caller holds a reference, and nothing is changed. */
#ifndef NDEBUG
#include <assert.h>

#include "exec/nested/birth.h"

bool
fg_births_valid(const struct fg_births *births)
{
	const struct fg_bubble *bubble = &births->bubble;
	assert(births->parent && births->body && bubble->size > 1);
	assert(bubble->origin && bubble->entity.kind == FG_ENTITY_BUBBLE);
	assert(!bubble->entity.bubble || bubble->depth == bubble->entity.bubble->depth + 1);
	assert(!births->loosens || (births->parent->crew_of && !births->parent->root));
	assert(births->carried || births->parent->root);
	assert(births->rejoin.region > 0);
	return true;
}
#endif
