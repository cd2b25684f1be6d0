/* Holder: how a trace shows it, and its invariants (floor: forest). holder.h has the callers and the locks. */
#include "forest/holder.h"

#include <assert.h>

#include "forest/bubble.h"

void
fg_holder_trace_slow(enum fg_event event, struct fg_holder *holder, const struct fg_entity *entity)
{
	const struct fg_runqueue *queue = fg_holder_runqueue(holder);
	uint32_t number = ((const struct fg_bubble *)entity)->number;
	bool planned = queue->quiet && queue->n_pus;
	if (number && !planned)
		fg_trace_slow(event, number, 0, queue->first_pu, queue->n_pus);
}

#ifndef NDEBUG
/* Looks at both ends of a list, because it may be long: check.h looks at all of it. */
static bool
list_valid(const struct fg_holder *holder, const struct fg_entity *list, uint32_t count)
{
	const struct fg_entity *first = list->next, *last = list->prev;
	assert((count == 0) == fg_entity_list_empty(list));
	assert(first->prev == list && last->next == list);
	assert(first == list || fg_load_stable(&first->holder) == (void *)holder);
	assert(last == list || fg_load_stable(&last->holder) == (void *)holder);
	assert(first == list || (first->kind == FG_ENTITY_THREAD) == (list == &holder->ready));
	assert((count == 1) == (first == last && first != list));
	return true;
}

bool
fg_holder_valid(const struct fg_holder *holder)
{
	assert(list_valid(holder, &holder->unborn, fg_load_stable(&holder->n_unborn)));
	assert(list_valid(holder, &holder->ready, fg_load_stable(&holder->n_ready)));
	assert(!holder->bubble || holder->bubble->content == holder);
	return true;
}
#endif
