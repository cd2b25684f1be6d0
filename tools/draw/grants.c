/* Grants (command): see grants.h. Before the first event a process may use all PUs that it has. The words of one set
 * have several events, which one thread writes one after the other: the last of them tells. */
#include "draw/grants.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ONE_LOOK_NS                                                                                                    \
	100000 /* between two events of one look, at most; between two looks there is a millisecond or more */

static void
apply(struct fg_grant *now, const struct fg_trace_record *record, unsigned pus)
{
	if (record->event == FG_EVENT_grant)
		now->pus = record->a < pus ? record->a : pus;
	else if (record->a < FG_GRANT_WORDS)
		now->set[record->a] = record->b;
}

static bool
is_same(const struct fg_grant *one, const struct fg_grant *other)
{
	return one->pus == other->pus && memcmp(one->set, other->set, sizeof one->set) == 0;
}

size_t
fg_grants_of(const struct fg_trace *trace, uint64_t from, uint64_t to, struct fg_grant **list)
{
	size_t n = from <= to, room = 16;
	struct fg_grant now = {.time = from, .pus = trace->n_pus};
	*list = fg_trace_memory(room, sizeof **list);
	(*list)[0] = now;
	for (size_t i = 0; n && i < trace->n_items; i++) {
		const struct fg_trace_record *record = &trace->items[i].record;
		struct fg_grant *last = &(*list)[n - 1];
		if ((record->event != FG_EVENT_grant && record->event != FG_EVENT_set) || record->time > to)
			continue;
		apply(&now, record, trace->n_pus);
		if (is_same(&now, last))
			continue;
		now.time = record->time > from ? record->time : from;
		if (now.time - last->time <= ONE_LOOK_NS) {
			now.time = last->time;
			*last = now;
			continue;
		}
		if (n == room) {
			room *= 2;
			*list = fg_trace_more(*list, room, sizeof **list);
		}
		(*list)[n++] = now;
	}
	return n;
}
