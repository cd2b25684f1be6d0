/* The parts of a score, the end of its making, and its file (command): see score_finish.h.
 *
 * The player cannot hang: all members of a team come to the same number of barriers, and each taskgroup that a strand
 * opens is closed by it. */
#include "draw/score_finish.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TIME_MAX UINT64_C(100000000000000000) /* three years: more is a fault of the file */

uint32_t
fg_score_strand(struct fg_score *score, uint32_t member_of, uint32_t depth)
{
	if (score->n_strands == score->strands_room) {
		score->strands_room = 2 * score->strands_room + 256;
		score->strands = realloc(score->strands, score->strands_room * sizeof *score->strands);
		if (!score->strands)
			exit(1);
	}
	score->strands[score->n_strands] = (struct fg_score_line){.member_of = member_of, .depth = depth};
	return (uint32_t)score->n_strands++;
}

void
fg_score_step(struct fg_score *score, uint32_t strand, enum fg_score_kind kind, uint64_t number)
{
	struct fg_score_line *line = &score->strands[strand];
	if (kind == FG_SCORE_WORK && line->n && line->steps[line->n - 1].kind == FG_SCORE_WORK) {
		line->steps[line->n - 1].number += number;
		return;
	}
	if (line->n == line->room) {
		line->room = 2 * line->room + 4;
		line->steps = realloc(line->steps, line->room * sizeof *line->steps);
		if (!line->steps)
			exit(1);
	}
	line->steps[line->n++] = (struct fg_score_step){.kind = kind, .number = number};
}

void
fg_score_loads(struct fg_score *score, const struct fg_story *story)
{
	const struct fg_trace *trace = story->trace;
	for (size_t i = 0; i < trace->n_items; i++) {
		const struct fg_trace_record *record = &trace->items[i].record;
		bool of_member = record->event == FG_EVENT_load;
		if (!of_member && record->event != FG_EVENT_loads)
			continue;
		uint32_t bubble = fg_story_bubble_of(story, record->bubble);
		struct fg_score_region *region = bubble == FG_NOBODY ? NULL : &score->regions[bubble];
		if (region && of_member && record->a < region->members)
			score->members[region->first_member + record->a].load = (double)record->b / 1000;
		else if (region && !of_member)
			region->load = (double)record->b;
	}
}

/* A trace that was cut short may have a barrier that some members have not left. They come to it at their end. */
static void
barriers_even(struct fg_score *score, const struct fg_score_region *region)
{
	const struct fg_score_member *members = &score->members[region->first_member];
	uint32_t most = 0, least = ~0u;
	for (uint32_t k = 0; k < region->members; k++) {
		uint32_t own = score->strands[members[k].strand].barriers;
		most = own > most ? own : most;
		least = own < least ? own : least;
	}
	if (most == least)
		return;
	score->losses.uneven++;
	for (uint32_t k = 0; k < region->members; k++)
		for (uint32_t own = score->strands[members[k].strand].barriers; own < most; own++)
			fg_score_step(score, members[k].strand, FG_SCORE_BARRIER, 0);
}

static void
loads_told(struct fg_score *score, struct fg_score_region *region)
{
	region->told = region->load > 0;
	for (uint32_t k = 0; k < region->members; k++)
		if (score->members[region->first_member + k].load > 0)
			region->told = 2;
}

/* Sums a strand up, and opens those below it. They have larger numbers. */
static void
sum_up(struct fg_score *score, size_t strand)
{
	struct fg_score_line *line = &score->strands[strand];
	for (size_t i = 0; i < line->n; i++) {
		uint64_t number = line->steps[i].number;
		if (line->steps[i].kind == FG_SCORE_TASK) {
			score->strands[number].open = line->open;
			score->n_tasks += line->open;
		} else if (line->steps[i].kind == FG_SCORE_REGION) {
			const struct fg_score_region *region = &score->regions[number];
			for (uint32_t k = 0; k < region->members; k++)
				score->strands[score->members[region->first_member + k].strand].open = line->open;
			score->n_met += line->open && region->members;
			score->losses.broken += line->open && !region->members;
		} else if (line->steps[i].kind == FG_SCORE_BARRIER)
			score->n_barriers += line->open;
		else if (line->steps[i].kind == FG_SCORE_WORK) {
			uint64_t *sum = line->open ? &score->computing : &score->losses.computing;
			*sum += number;
			score->serial += strand == 0 ? number : 0;
		}
	}
}

bool
fg_score_finish(struct fg_score *score, char *why, size_t why_size)
{
	for (size_t i = 0; i < score->n_regions; i++) {
		loads_told(score, &score->regions[i]);
		if (score->regions[i].members)
			barriers_even(score, &score->regions[i]);
		else
			score->regions[i].first_member = 0;
	}
	for (size_t i = 0; i < score->n_strands; i++)
		for (; score->strands[i].groups; score->strands[i].groups--)
			fg_score_step(score, (uint32_t)i, FG_SCORE_GROUP_END, 0);
	score->strands[0].open = true;
	for (size_t i = 0; i < score->n_strands; i++)
		sum_up(score, i);
	if (!score->n_met)
		snprintf(why, why_size, "has no region from its beginning on: there is nothing to replay");
	else if (score->computing == score->serial)
		snprintf(why, why_size, "has no computing in its regions: there is nothing to replay");
	else if (score->last - score->first > TIME_MAX || score->computing > TIME_MAX)
		snprintf(why, why_size, "has times that cannot be: there is nothing to replay");
	else
		return true;
	return false;
}

static bool
all_written(int file, const void *bytes, size_t size)
{
	for (const char *next = bytes; size > 0;) {
		ssize_t n = write(file, next, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		next += n;
		size -= (size_t)n;
	}
	return true;
}

bool
fg_score_write(const struct fg_score *score, int file)
{
	struct fg_score_head head = {.magic = FG_SCORE_MAGIC,
				     .n_strands = score->n_strands,
				     .n_regions = score->n_regions,
				     .n_members = score->n_members};
	struct fg_score_strand *strands = fg_trace_memory(score->n_strands, sizeof *strands);
	for (size_t i = 0; i < score->n_strands; i++) {
		strands[i] = (struct fg_score_strand){head.n_steps, score->strands[i].n};
		head.n_steps += score->strands[i].n;
	}
	struct fg_score_step *steps = fg_trace_memory(head.n_steps, sizeof *steps);
	for (size_t i = 0; i < score->n_strands; i++)
		if (strands[i].n_steps)
			memcpy(&steps[strands[i].first], score->strands[i].steps, strands[i].n_steps * sizeof *steps);
	bool done = all_written(file, &head, sizeof head) &&
		    all_written(file, strands, head.n_strands * sizeof *strands) &&
		    all_written(file, score->regions, head.n_regions * sizeof *score->regions) &&
		    all_written(file, score->members, head.n_members * sizeof *score->members) &&
		    all_written(file, steps, head.n_steps * sizeof *steps);
	free(strands);
	free(steps);
	return done;
}
