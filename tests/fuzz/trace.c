/* The file of a trace. Its blocks lie 64 KiB apart; the input is such a file with the holes left out: the head, then
 * each block behind its length in two bytes. */
#include "draw/page.h"
#include "draw/score.h"
#include "draw/table.h"
#include "fuzz.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS_MAX 24
#define END (UINT64_C(1) << 48) /* of the addresses that the simulated machine has room for */

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

/* The score must be a tree, and one that the player cannot hang in. */
static void
score_check(const struct fg_score *score, unsigned char *used)
{
	for (size_t i = 0; i < score->n_strands; i++) {
		uint64_t open = 0;
		for (size_t k = 0; k < score->strands[i].n; k++) {
			const struct fg_score_step *step = &score->strands[i].steps[k];
			open += step->kind == FG_SCORE_GROUP;
			HOLDS(step->kind != FG_SCORE_GROUP_END || open-- > 0);
			HOLDS(step->kind != FG_SCORE_BARRIER || score->strands[i].member_of != FG_SCORE_NONE);
			if (step->kind == FG_SCORE_READ || step->kind == FG_SCORE_WRITE)
				HOLDS(step->lines && step->number < END &&
				      step->lines <= (END - step->number) / FG_SCORE_LINE);
			if (step->kind == FG_SCORE_TASK)
				HOLDS(step->number > i && step->number < score->n_strands && !used[step->number]++);
			if (step->kind != FG_SCORE_REGION)
				continue;
			HOLDS(step->number < score->n_regions);
			const struct fg_score_region *region = &score->regions[step->number];
			for (uint32_t m = 0; m < region->members; m++) {
				uint32_t strand = score->members[region->first_member + m].strand;
				HOLDS(strand > i && strand < score->n_strands && !used[strand]++);
			}
		}
		HOLDS(open == 0);
	}
}

static void
barriers_check(const struct fg_score *score)
{
	for (size_t i = 0; i < score->n_regions; i++) {
		uint64_t first = 0;
		for (uint32_t m = 0; m < score->regions[i].members; m++) {
			const struct fg_score_line *line =
				&score->strands[score->members[score->regions[i].first_member + m].strand];
			uint64_t barriers = 0;
			for (size_t k = 0; k < line->n; k++)
				barriers += line->steps[k].kind == FG_SCORE_BARRIER;
			HOLDS(m == 0 || barriers == first);
			first = barriers;
		}
	}
}

static void
replay(const struct fg_story *story, bool data)
{
	char why[200] = "";
	struct fg_score *score = fg_score_make(story, data, why, sizeof why);
	HOLDS(score || (why[0] && strchr(why, '\n') == NULL));
	if (!score)
		return;
	unsigned char *used = calloc(score->n_strands, 1);
	score_check(score, used);
	barriers_check(score);
	free(used);
	fg_score_free(score);
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
	struct fg_summary summary = trace->n_sums ? fg_summary_of_sums(trace, 0) : fg_summary_of_story(story, 0);
	fg_table_print(&summary, &(struct fg_table_style){"", "", "", 80, 0}, nowhere);
	fg_table_json(&summary, 0, nowhere);
	fg_summary_free(&summary);
	struct fg_job job = fg_job_of((const struct fg_story *const[]){story}, 1);
	fg_page_write(&job, 0, 0, nowhere);
	fg_perfetto_write(&job, 0, 0, nowhere);
	fg_job_free(&job);
	replay(story, true);
	replay(story, false);
	fg_story_free(story);
	fg_trace_free(trace);
	return 0;
}
