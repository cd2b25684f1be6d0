/* Holder: how a trace shows it (floor: forest). */
#include "forest/holder.h"

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
