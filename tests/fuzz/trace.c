/* The file of a trace. Its blocks lie 64 KiB apart; the input is such a file with the holes left out: the head, then
 * each block behind its length in two bytes. */
#include "draw/page.h"
#include "draw/table.h"
#include "fuzz.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS_MAX 24

static size_t
unpack(const uint8_t *data, size_t size, unsigned char *file)
{
	size_t head = size < sizeof(struct fg_trace_head) ? size : sizeof(struct fg_trace_head), end = head;
	memcpy(file, data, head);
	data += head;
	size -= head;
	for (unsigned i = 1; i < BLOCKS_MAX && size > 2; i++) {
		size_t length = (size_t)data[0] | (size_t)data[1] << 8;
		data += 2;
		size -= 2;
		if (length > size)
			length = size;
		memcpy(file + i * FG_TRACE_ALIGN, data, length);
		end = i * FG_TRACE_ALIGN + length;
		data += length;
		size -= length;
	}
	return end;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *nowhere;
	char why[200];
	unsigned char *file = calloc(BLOCKS_MAX, FG_TRACE_ALIGN);
	size_t end = unpack(data, size, file);
	unsigned char *exact = malloc(end + !end);
	memcpy(exact, file, end);
	free(file);
	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	struct fg_trace *trace = fg_trace_parse(exact, end, why, sizeof why);
	free(exact);
	if (!trace) {
		HOLDS(strchr(why, '\n') == NULL);
		return 0;
	}
	struct fg_story *story = fg_story_tell(trace);
	for (size_t i = 0; i < story->n_bubbles; i++)
		HOLDS(story->bubbles[i].parent == FG_NOBODY || story->bubbles[i].parent < i);
	for (size_t i = 0; i < story->n_slices; i++)
		HOLDS(story->slices[i].from < story->slices[i].to && story->slices[i].pu < trace->n_pus);
	fg_table_print(story, nowhere, "", "", "");
	fg_table_json(story, nowhere);
	fg_perfetto_write(story, nowhere);
	fg_page_write(story, 0, 0, nowhere);
	fg_story_free(story);
	fg_trace_free(trace);
	return 0;
}
