/* The decisions of policies in a trace (command; called by page.c, perfetto.c and table.c). */
#pragma once
#include "draw/story.h"
#include <stdio.h>

/* A level: its first PU and its number of PUs. n 0: `first` is 0 nowhere, 1 in a bubble, 2 on a runqueue put aside. */
struct fg_place {
	uint32_t first, n;
};

struct fg_decided {
	const char *policy, *decider, *reason; /* reason: empty if there is none */
	struct fg_place from, to;
};

/* False: the event is no decision, or the trace does not know whose it is. */
bool fg_decided_by(const struct fg_trace *trace, const struct fg_trace_record *record, struct fg_decided *decided);
/* Writes "PU 3", "PUs 0-7", "nowhere", "a bubble", "aside", and returns `text`. */
const char *fg_place_text(struct fg_place place, char *text, size_t size);

/* How often each function of a policy decided each kind of thing for each reason, most often first. The caller frees
 * the list. */
struct fg_decisions {
	const char *policy, *decider, *event, *reason;
	uint64_t count;
};
size_t fg_decisions_count(const struct fg_trace *trace, struct fg_decisions **list);
