/* Reading the file of a trace (command): see trace_read.h. */
#include "draw/trace_read.h"
#include "draw/trace_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "platform/file.h"

#define PUS_MAX 65536

struct reader {
	const unsigned char *bytes;
	size_t size;
	struct fg_trace *trace;
	struct fg_trace_block *blocks; /* of events */
	size_t *offsets, n_blocks, room;
	bool has_names; /* they are written at the end */
};

static void *
or_end(void *block)
{
	if (block)
		return block;
	fputs("forestgomp: out of memory for the trace\n", stderr);
	exit(1);
}

void *
fg_trace_memory(size_t n, size_t size)
{
	return or_end(calloc(n ? n : 1, size));
}

void *
fg_trace_more(void *block, size_t n, size_t size)
{
	return or_end(reallocarray(block, n ? n : 1, size));
}

static void
note(struct fg_trace *trace, const char *text)
{
	size_t used = strlen(trace->note);
	if (!strstr(trace->note, text))
		snprintf(trace->note + used, sizeof trace->note - used, "%s%s", used ? "; " : "", text);
}

static bool
head_read(struct reader *reader, char *why, size_t why_size)
{
	struct fg_trace_head *head = &reader->trace->head;
	if (reader->size < sizeof head->magic || memcmp(reader->bytes, FG_TRACE_MAGIC, sizeof head->magic) != 0) {
		snprintf(why, why_size, "is no trace of ForestGOMP");
		return false;
	}
	if (reader->size < sizeof *head) {
		snprintf(why, why_size, "is cut short in its first bytes: nothing of the trace is left");
		return false;
	}
	memcpy(head, reader->bytes, sizeof *head);
	if (head->version != FG_TRACE_VERSION || head->record_bytes != sizeof(struct fg_trace_record)) {
		snprintf(why, why_size, "is a trace of version %" PRIu32 "; this command reads version %d",
			 head->version, FG_TRACE_VERSION);
		return false;
	}
	return true;
}

/* A terminal would do what they say. Lines of the text end by a line feed. UTF-8 has further ones behind byte C2. */
static void
without_controls(char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)text[i], before = i ? (unsigned char)text[i - 1] : 0;
		bool control = (byte && byte < ' ' && byte != '\n' && byte != '\t') || byte == 127;
		if (control || (before == 0xc2 && byte >= 0x80 && byte < 0xa0))
			text[i] = '?';
		if (before == 0xc2 && text[i] == '?')
			text[i - 1] = '?';
	}
}

/* Returns the text of a block, ended by '\0'. */
static char *
text_of(struct reader *reader, const struct fg_trace_block *block, size_t payload, size_t there)
{
	struct fg_trace *trace = reader->trace;
	if (trace->n_texts == sizeof trace->texts / sizeof *trace->texts)
		return NULL;
	size_t length = block->count < there ? (size_t)block->count : there;
	char *text = fg_trace_memory(length + 1, 1);
	memcpy(text, reader->bytes + payload, length);
	without_controls(text, length);
	trace->texts[trace->n_texts++] = text;
	return text;
}

/* The levels must be a tree in depth-first order, and its PUs must be numbered in that order. */
static bool
levels_are_sound(const struct fg_trace_level *levels, size_t n)
{
	uint32_t pus = 0;
	if (n == 0 || levels[0].depth != 0 || levels[0].first_pu != 0 || levels[0].n_pus == 0 ||
	    levels[0].n_pus > PUS_MAX)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct fg_trace_level *level = &levels[i];
		if (level->kind >= FG_LEVEL_KINDS || level->n_pus == 0 || level->n_pus > levels[0].n_pus ||
		    level->first_pu != pus || level->first_pu + level->n_pus > levels[0].n_pus ||
		    (i > 0 && (level->depth == 0 || level->depth > levels[i - 1].depth + 1)))
			return false;
		bool leaf = i + 1 == n || levels[i + 1].depth <= level->depth;
		if (leaf && level->n_pus != 1)
			return false;
		pus += leaf;
	}
	return pus == levels[0].n_pus;
}

static void
machine_read(struct reader *reader, const struct fg_trace_block *block, size_t payload, size_t there)
{
	struct fg_trace *trace = reader->trace;
	size_t n = there / sizeof *trace->levels;
	if (block->count < n)
		n = (size_t)block->count;
	struct fg_trace_level *levels = fg_trace_memory(n, sizeof *levels);
	memcpy(levels, reader->bytes + payload, n * sizeof *levels);
	if (!levels_are_sound(levels, n)) {
		note(trace, "the machine's tree cannot be read");
		free(levels);
		return;
	}
	free(trace->levels);
	trace->levels = levels;
	trace->n_levels = n;
}

static void
events_note(struct reader *reader, const struct fg_trace_block *block, size_t payload, size_t there)
{
	if (reader->n_blocks == reader->room) {
		reader->room = 2 * reader->room + 64;
		reader->blocks = realloc(reader->blocks, reader->room * sizeof *reader->blocks);
		reader->offsets = realloc(reader->offsets, reader->room * sizeof *reader->offsets);
		if (!reader->blocks || !reader->offsets)
			exit(1);
	}
	struct fg_trace_block *own = &reader->blocks[reader->n_blocks];
	*own = *block;
	uint64_t whole = there / sizeof(struct fg_trace_record);
	if (own->count > whole)
		own->count = whole;
	reader->offsets[reader->n_blocks++] = payload;
}

static void
sums_read(struct reader *reader, const struct fg_trace_block *block, size_t payload, size_t there)
{
	struct fg_trace *trace = reader->trace;
	size_t n = there / sizeof *trace->sums;
	if (block->count < n)
		n = (size_t)block->count;
	trace->sums = fg_trace_more(trace->sums, trace->n_sums + n, sizeof *trace->sums);
	memcpy(trace->sums + trace->n_sums, reader->bytes + payload, n * sizeof *trace->sums);
	trace->n_sums += n;
}

/* Blocks that are mapped have all of their bytes in the file, others have what they hold. */
static void
look_for_cut(struct reader *reader, const struct fg_trace_block *block, size_t there)
{
	bool mapped = block->kind == FG_TRACE_EVENTS || block->kind == FG_TRACE_SUMS || block->kind == FG_TRACE_TEXTS;
	uint64_t whole = mapped ? block->bytes - sizeof *block : block->count;
	if (block->kind == FG_TRACE_MACHINE)
		whole = block->count * sizeof(struct fg_trace_level);
	if (block->kind && whole > there)
		reader->trace->cut = true;
	if (block->kind == FG_TRACE_EVENTS && block->reserved[0])
		reader->trace->full = true;
	reader->has_names |= block->kind == FG_TRACE_NAMES;
}

static void
block_read(struct reader *reader, const struct fg_trace_block *block, size_t payload, size_t there)
{
	look_for_cut(reader, block, there);
	switch (block->kind) {
	case FG_TRACE_SEEN_END:
		if (there >= sizeof reader->trace->seen_end)
			memcpy(&reader->trace->seen_end, reader->bytes + payload, sizeof reader->trace->seen_end);
		break;
	case FG_TRACE_SUMS:
		sums_read(reader, block, payload, there);
		break;
	case FG_TRACE_EVENTS:
		events_note(reader, block, payload, there);
		break;
	case FG_TRACE_MACHINE:
		machine_read(reader, block, payload, there);
		break;
	case FG_TRACE_FACTS:
		reader->trace->facts = text_of(reader, block, payload, there);
		break;
	case FG_TRACE_MODULES:
		fg_trace_text_modules(reader->trace, text_of(reader, block, payload, there));
		break;
	case FG_TRACE_TEXTS:
		fg_trace_text_said(reader->trace, text_of(reader, block, payload, there));
		break;
	case FG_TRACE_NAMES:
		fg_trace_text_names(reader->trace, text_of(reader, block, payload, there));
		break;
	}
}

/* A block that was never begun is a hole: its bytes are zero, up to the place where the next block may begin. */
static size_t
next_block(const struct reader *reader, size_t at, struct fg_trace_block *block)
{
	for (; at < reader->size && reader->size - at >= sizeof *block; at += FG_TRACE_ALIGN) {
		memcpy(block, reader->bytes + at, sizeof *block);
		if (memcmp(block->magic, "BLOC", 4) == 0 && block->bytes >= sizeof *block &&
		    block->bytes % FG_TRACE_ALIGN == 0)
			return at;
	}
	return reader->size;
}

static void
blocks_read(struct reader *reader)
{
	struct fg_trace_block block;
	size_t at = next_block(reader, FG_TRACE_ALIGN, &block);
	while (at < reader->size) {
		size_t room = reader->size - at < block.bytes ? reader->size - at : (size_t)block.bytes;
		block_read(reader, &block, at + sizeof block, room - sizeof block);
		if (block.bytes > reader->size - at)
			break;
		at = next_block(reader, at + (size_t)block.bytes, &block);
	}
}

static int
by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static int
by_time(const void *a, const void *b)
{
	const struct fg_trace_item *x = a, *y = b;
	if (x->record.time != y->record.time)
		return x->record.time < y->record.time ? -1 : 1;
	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	return 0;
}

struct order {
	uint64_t sequence;
	uint32_t lane;
	size_t block;
};

static int
by_sequence(const void *a, const void *b)
{
	const struct order *x = a, *y = b;
	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

/* Gives the workers numbers without gaps. */
static unsigned
lanes_number(struct reader *reader, struct order *order)
{
	uint32_t *numbers = fg_trace_memory(reader->n_blocks, sizeof *numbers);
	unsigned n = 0;
	for (size_t i = 0; i < reader->n_blocks; i++)
		numbers[i] = reader->blocks[i].lane;
	qsort(numbers, reader->n_blocks, sizeof *numbers, by_number);
	for (size_t i = 0; i < reader->n_blocks; i++)
		if (i == 0 || numbers[i] != numbers[i - 1])
			numbers[n++] = numbers[i];
	for (size_t i = 0; i < reader->n_blocks; i++) {
		uint32_t *found = bsearch(&reader->blocks[i].lane, numbers, n, sizeof *numbers, by_number);
		order[i] = (struct order){reader->blocks[i].sequence, (uint32_t)(found - numbers), i};
	}
	free(numbers);
	return n;
}

/* Merges by time, and is stable. qsort may not be stable, so the places of two items decide if the times of one worker
 * are equal. */
static void
sort_items(struct fg_trace_item *items, size_t n)
{
	if (n < 2)
		return;
	struct fg_trace_item *other = fg_trace_memory(n, sizeof *other), *from = items, *to = other;
	for (size_t width = 1; width < n; width *= 2) {
		for (size_t low = 0; low < n; low += 2 * width) {
			size_t middle = low + width < n ? low + width : n,
			       high = middle + width < n ? middle + width : n;
			size_t i = low, j = middle;
			for (size_t k = low; k < high; k++)
				to[k] = i < middle && (j >= high || by_time(&from[i], &from[j]) <= 0) ? from[i++]
												      : from[j++];
		}
		struct fg_trace_item *swap = from;
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, n * sizeof *items);
	free(other);
}

/* Workers overwrite their oldest events at different times. The story begins at the first moment from which all workers
 * have their events, because before that it would be incomplete. Which kernel thread carries a worker is still so. */
static void
forget_before(struct fg_trace *trace, uint64_t time)
{
	size_t first = 0, kept = 0;
	for (; first < trace->n_items && trace->items[first].record.time < time; first++)
		if (trace->items[first].record.event == FG_EVENT_carry) {
			trace->items[kept] = trace->items[first];
			trace->items[kept++].record.time = time;
		}
	trace->lost += first - kept;
	memmove(trace->items + kept, trace->items + first, (trace->n_items - first) * sizeof *trace->items);
	trace->n_items -= first - kept;
}

static void
events_read(struct reader *reader)
{
	struct fg_trace *trace = reader->trace;
	uint64_t all_remember = 0;
	struct order *order = fg_trace_memory(reader->n_blocks, sizeof *order);
	size_t n = 0, skipped = 0;
	trace->n_lanes = lanes_number(reader, order);
	qsort(order, reader->n_blocks, sizeof *order, by_sequence);
	for (size_t i = 0; i < reader->n_blocks; i++)
		n += (size_t)reader->blocks[i].count;
	trace->items = fg_trace_memory(n, sizeof *trace->items);
	size_t first_of_lane = 0;
	for (size_t i = 0; i < reader->n_blocks; i++) {
		const struct fg_trace_block *block = &reader->blocks[order[i].block];
		if (i > 0 && order[i - 1].lane != order[i].lane)
			first_of_lane = trace->n_items;
		for (uint64_t k = 0; k < block->count; k++) {
			struct fg_trace_item *item = &trace->items[trace->n_items];
			memcpy(&item->record, reader->bytes + reader->offsets[order[i].block] + k * sizeof item->record,
			       sizeof item->record);
			item->lane = order[i].lane;
			if (fg_event_words(item->record.event) && item->record.pu < trace->n_pus)
				trace->n_items++;
			else
				skipped++;
		}
		bool last_of_lane = i + 1 == reader->n_blocks || order[i + 1].lane != order[i].lane;
		if (last_of_lane && block->lost) {
			uint64_t first = first_of_lane < trace->n_items ? trace->items[first_of_lane].record.time : 0;
			trace->lost += block->lost;
			all_remember = first > all_remember ? first : all_remember;
		}
	}
	if (skipped)
		note(trace, "events that this version does not know are left out");
	free(order);
	sort_items(trace->items, trace->n_items);
	forget_before(trace, all_remember);
}

/* The file has no machine, so it is assumed to have as many PUs as occur in the events, side by side. */
static void
machine_guess(struct reader *reader)
{
	struct fg_trace *trace = reader->trace;
	uint32_t pus = 1;
	note(trace, "the machine's tree is missing");
	for (size_t i = 0; i < reader->n_blocks; i++)
		for (uint64_t k = 0; k < reader->blocks[i].count; k++) {
			struct fg_trace_record record;
			memcpy(&record, reader->bytes + reader->offsets[i] + k * sizeof record, sizeof record);
			if (record.pu >= pus)
				pus = record.pu + 1u;
		}
	trace->n_levels = pus + 1;
	trace->levels = fg_trace_memory(trace->n_levels, sizeof *trace->levels);
	trace->levels[0] = (struct fg_trace_level){.kind = FG_MACHINE, .kinds = 1u << FG_MACHINE, .n_pus = pus};
	for (uint32_t i = 0; i < pus; i++)
		trace->levels[i + 1] = (struct fg_trace_level){
			.kind = FG_PU, .kinds = 1u << FG_PU, .os_index = i, .depth = 1, .first_pu = i, .n_pus = 1};
}

struct fg_trace *
fg_trace_parse(const void *bytes, size_t size, char *why, size_t why_size)
{
	struct fg_trace *trace = fg_trace_memory(1, sizeof *trace);
	struct reader reader = {.bytes = bytes, .size = size, .trace = trace};
	if (!head_read(&reader, why, why_size)) {
		fg_trace_free(trace);
		return NULL;
	}
	blocks_read(&reader);
	if (!trace->levels)
		machine_guess(&reader);
	trace->n_pus = trace->levels[0].n_pus;
	events_read(&reader);
	trace->cut |= trace->head.end && !reader.has_names;
	if (trace->cut)
		note(trace, "the file is cut short");
	if (trace->head.dropped || trace->full)
		note(trace, "the disk, or a recorder, had no room for all of it");
	if (!trace->head.end)
		note(trace,
		     "the program ended without a word (killed, or by _exit): all that it did up to then is here");
	free(reader.blocks);
	free(reader.offsets);
	return trace;
}

struct fg_trace *
fg_trace_read(const char *path, char *why, size_t why_size)
{
	struct fg_file_view file;
	if (!fg_file_view_open(path, &file)) {
		snprintf(why, why_size, "cannot be read: %s", strerror(errno));
		return NULL;
	}
	if (!file.bytes) {
		snprintf(why, why_size, "is %s: no trace of ForestGOMP", file.ordinary ? "empty" : "no ordinary file");
		return NULL;
	}
	struct fg_trace *trace = fg_trace_parse(file.bytes, file.size, why, why_size);
	fg_file_view_close(&file);
	return trace;
}

void
fg_trace_free(struct fg_trace *trace)
{
	if (!trace)
		return;
	for (unsigned i = 0; i < trace->n_texts; i++)
		free(trace->texts[i]);
	free(trace->items);
	free(trace->sums);
	free(trace->levels);
	free(trace->names);
	free(trace->modules);
	free(trace);
}
