/* The parts of a score, the end of its making, and its file (command): see score_finish.h.
 *
 * The player cannot hang: all members of a team come to the same number of barriers, and each taskgroup that a strand
 * opens is closed by it. */
#include "draw/score_finish.h"

#include "machine/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ADDRESS_BITS 48			      /* the simulated machine has room for no more */
#define TOUCH_LINES_MAX (UINT64_C(1) << 30)   /* 64 GB */
#define ADDED_MAX (UINT64_C(1) << 24)	      /* barriers: 400 MB */
#define LINES_MAX (UINT64_C(1) << 34)	      /* 1 TB: one replay takes ten minutes */
#define TIME_MAX UINT64_C(100000000000000000) /* three years: more is a fault of the file */

uint32_t
fg_score_strand(struct fg_score *score, uint32_t member_of, uint32_t depth)
{
	if (score->n_strands == score->strands_room) {
		score->strands_room = 2 * score->strands_room + 256;
		score->strands = fg_trace_more(score->strands, score->strands_room, sizeof *score->strands);
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
		line->steps = fg_trace_more(line->steps, line->room, sizeof *line->steps);
	}
	line->steps[line->n++] = (struct fg_score_step){.kind = kind, .number = number};
}

/* The trace may lie. */
static bool
can_be_touched(uint32_t how, uint64_t address, uint64_t bytes)
{
	uint64_t end = UINT64_C(1) << ADDRESS_BITS;
	return how <= (FG_TRACE_TOUCH_WRITES | FG_TRACE_TOUCH_PLACED) && address < end && bytes > 0 &&
	       bytes <= end - address && bytes / FG_SCORE_LINE < TOUCH_LINES_MAX;
}

void
fg_score_touch(struct fg_score *score, uint32_t strand, uint32_t how, uint64_t address, uint64_t bytes, uint64_t ns)
{
	if (!can_be_touched(how, address, bytes)) {
		score->losses.touches++;
		score->losses.memory += ns;
		return;
	}
	uint64_t first = address / FG_SCORE_LINE, lines = (address + bytes - 1) / FG_SCORE_LINE - first + 1;
	bool writes = how & FG_TRACE_TOUCH_WRITES;
	fg_score_step(score, strand, writes ? FG_SCORE_WRITE : FG_SCORE_READ, first * FG_SCORE_LINE);
	score->strands[strand].steps[score->strands[strand].n - 1].lines = (uint32_t)lines;
	score->touches++;
	score->lines += lines;
	score->memory += ns;
	score->placed += how & FG_TRACE_TOUCH_PLACED ? ns : 0;
}

uint32_t *
fg_score_nodes(const struct fg_trace *trace)
{
	uint32_t *nodes = fg_trace_memory(trace->n_pus, sizeof *nodes), node = 0;
	for (size_t i = 0; i < trace->n_levels; i++)
		if (trace->levels[i].kinds >> FG_NUMA_NODE & 1) {
			node++;
			for (uint32_t k = 0; k < trace->levels[i].n_pus; k++)
				nodes[trace->levels[i].first_pu + k] = node;
		}
	return nodes;
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

/* A trace that was cut short may have a barrier that some members have not left. They come to it at their end. False:
 * they would come to more than there is room for. */
static bool
barriers_even(struct fg_score *score, const struct fg_score_region *region, uint64_t *added)
{
	const struct fg_score_member *members = &score->members[region->first_member];
	uint32_t most = 0, least = ~0u;
	uint64_t all = 0;
	for (uint32_t k = 0; k < region->members; k++) {
		uint32_t own = score->strands[members[k].strand].barriers;
		most = own > most ? own : most;
		least = own < least ? own : least;
		all += own;
	}
	if (most == least)
		return true;
	*added += (uint64_t)most * region->members - all;
	if (*added > ADDED_MAX)
		return false;
	score->losses.uneven++;
	for (uint32_t k = 0; k < region->members; k++)
		for (uint32_t own = score->strands[members[k].strand].barriers; own < most; own++)
			fg_score_step(score, members[k].strand, FG_SCORE_BARRIER, 0);
	return true;
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
	uint64_t added = 0;
	for (size_t i = 0; i < score->n_regions; i++) {
		loads_told(score, &score->regions[i]);
		if (!score->regions[i].members)
			score->regions[i].first_member = 0;
		else if (!barriers_even(score, &score->regions[i], &added)) {
			snprintf(why, why_size, "lacks too many barriers of members to be replayed");
			return false;
		}
	}
	for (size_t i = 0; i < score->n_strands; i++)
		for (; score->strands[i].groups; score->strands[i].groups--)
			fg_score_step(score, (uint32_t)i, FG_SCORE_GROUP_END, 0);
	score->strands[0].open = true;
	for (size_t i = 0; i < score->n_strands; i++)
		sum_up(score, i);
	if (!score->n_met)
		snprintf(why, why_size, "has no region from its beginning on: there is nothing to replay");
	else if (score->computing == score->serial && !score->memory)
		snprintf(why, why_size, "has no computing in its regions: there is nothing to replay");
	else if (score->last - score->first > TIME_MAX || score->computing > TIME_MAX || score->memory > TIME_MAX)
		snprintf(why, why_size, "has times that cannot be: there is nothing to replay");
	else if (score->lines > LINES_MAX)
		snprintf(why, why_size, "goes through more data than can be replayed");
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
	struct fg_score_strand *strands = calloc(score->n_strands + 1, sizeof *strands);
	for (size_t i = 0; strands && i < score->n_strands; i++) {
		strands[i] = (struct fg_score_strand){head.n_steps, score->strands[i].n};
		head.n_steps += score->strands[i].n;
	}
	struct fg_score_step *steps = strands ? calloc(head.n_steps + 1, sizeof *steps) : NULL;
	for (size_t i = 0; steps && i < score->n_strands; i++)
		if (strands[i].n_steps)
			memcpy(&steps[strands[i].first], score->strands[i].steps, strands[i].n_steps * sizeof *steps);
	bool done = steps && all_written(file, &head, sizeof head) &&
		    all_written(file, strands, head.n_strands * sizeof *strands) &&
		    all_written(file, score->regions, head.n_regions * sizeof *score->regions) &&
		    all_written(file, score->members, head.n_members * sizeof *score->members) &&
		    all_written(file, steps, head.n_steps * sizeof *steps);
	free(strands);
	free(steps);
	return done;
}
