/* Reading the file of a trace (command; story.c uses it). The file may be cut short or hold anything. All whole
 * parts are kept. */
#pragma once
#include "trace/decision.h"
#include "trace/format.h"
#include "trace/trace.h"
#include <stdbool.h>
#include <stddef.h>

struct fg_trace_item {
	struct fg_trace_record record;
	uint32_t lane; /* 0, 1, ...: the workers, ordered by their numbers */
};

struct fg_trace_name {
	uint64_t address;
	const char *name;
};

struct fg_trace_module {
	uint64_t low, high, bias;
	const char *path;
};

struct fg_trace {
	struct fg_trace_head head;
	struct fg_trace_item *items; /* ordered by time */
	size_t n_items;
	unsigned n_lanes, n_pus;
	struct fg_trace_level *levels; /* depth first, at least the whole machine and one for each PU */
	size_t n_levels;
	struct fg_trace_name *names;
	size_t n_names;
	struct fg_trace_module *modules;
	size_t n_modules;
	const char *said[FG_TEXT_MASK + 1]; /* names of policies, and reasons, by number; NULL: not known */
	char *facts;			    /* lines "name=value" */
	struct fg_trace_sum *sums;	    /* records of FGOMP_STATS */
	size_t n_sums;
	uint64_t seen_end; /* when a killed process ended; 0: not known */
	bool cut, full;	   /* the file is cut short; there was no room on the disk for all of it */
	uint64_t lost;	   /* records that were overwritten, or that are incomplete without those */
	char note[200];	   /* the fault of the file; empty: none */
	char *texts[16];   /* names, modules and facts point into these */
	unsigned n_texts;
};

/* Returns zeroed memory for n items, or ends the program. */
void *fg_trace_memory(size_t n, size_t size);
/* Returns the block with room for n items, as realloc does, or ends the program. */
void *fg_trace_more(void *block, size_t n, size_t size);
/* Return NULL if it is no trace, or one of another version. Then `why` has the reason in one line. */
struct fg_trace *fg_trace_parse(const void *bytes, size_t size, char *why, size_t why_size);
struct fg_trace *fg_trace_read(const char *path, char *why, size_t why_size);
void fg_trace_free(struct fg_trace *trace);

/* Finds the value of a fact. It is empty if the file does not have the fact. */
void fg_trace_fact(const struct fg_trace *trace, const char *name, char *value, size_t size);
/* Finds the name of the function at this address, as far as it can be known. */
void fg_trace_function(const struct fg_trace *trace, uint64_t address, char *name, size_t size);
/* The name of an event, its meaning, its subject, and the words for its a and b ("none": not used). NULL: there is no
 * such event. */
struct fg_event_words {
	const char *name, *meaning, *about, *a, *b;
};
const struct fg_event_words *fg_event_words(unsigned event);
