/* Decisions (command): see decisions.h. */
#include "draw/decisions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct fg_place
place_of(uint32_t packed)
{
	return (struct fg_place){packed >> 16, packed & 0xffff};
}

static const char *
decider_of(uint32_t decider)
{
	static const char *const names[] = {"",
#define FG_DECIDER_WORD(name) #name,
					    FG_DECIDERS(FG_DECIDER_WORD)
#undef FG_DECIDER_WORD
	};
	return decider < FG_DECIDER_COUNT ? names[decider] : "";
}

static const char *
said(const struct fg_trace *trace, uint32_t number)
{
	return trace->said[number] ? trace->said[number] : "";
}

bool
fg_decided_by(const struct fg_trace *trace, const struct fg_trace_record *record, struct fg_decided *decided)
{
	const struct fg_event_words *words = fg_event_words(record->event);
	if (!words || strcmp(words->a, "decision") != 0 || !record->a)
		return false;
	*decided = (struct fg_decided){said(trace, fg_decision_policy(record->a)),
				       decider_of(fg_decision_decider(record->a)),
				       said(trace, fg_decision_reason(record->a)),
				       place_of((uint32_t)(record->b >> 32)), place_of((uint32_t)record->b)};
	return true;
}

const char *
fg_place_text(struct fg_place place, char *text, size_t size)
{
	static const char *const without_pus[] = {"nowhere", "a bubble", "aside"};
	if (place.n == 0)
		snprintf(text, size, "%s", place.first < 3 ? without_pus[place.first] : "nowhere");
	else if (place.n == 1)
		snprintf(text, size, "PU %" PRIu32, place.first);
	else
		snprintf(text, size, "PUs %" PRIu32 "-%" PRIu32, place.first, place.first + place.n - 1);
	return text;
}

static bool
is_of(const struct fg_decisions *one, const struct fg_decided *decided, const char *event)
{
	/* Equal texts have one address. */
	return one->event == event && one->reason == decided->reason && one->policy == decided->policy &&
	       one->decider == decided->decider;
}

static int
by_count(const void *a, const void *b)
{
	const struct fg_decisions *x = a, *y = b;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	int order = strcmp(x->decider, y->decider);
	order = order ? order : strcmp(x->event, y->event);
	return order ? order : strcmp(x->reason, y->reason);
}

size_t
fg_decisions_count(const struct fg_trace *trace, struct fg_decisions **list)
{
	size_t n = 0, room = 0;
	struct fg_decided decided;
	*list = NULL;
	for (size_t i = 0; i < trace->n_items; i++) {
		const struct fg_trace_record *record = &trace->items[i].record;
		if (!fg_decided_by(trace, record, &decided))
			continue;
		const char *event = fg_event_words(record->event)->name;
		size_t k = 0;
		while (k < n && !is_of(&(*list)[k], &decided, event))
			k++;
		if (k == room) {
			room = 2 * room + 32;
			*list = fg_trace_more(*list, room, sizeof **list);
		}
		if (k == n)
			(*list)[n++] = (struct fg_decisions){decided.policy, decided.decider, event, decided.reason, 0};
		(*list)[k].count++;
	}
	if (n)
		qsort(*list, n, sizeof **list, by_count);
	return n;
}
