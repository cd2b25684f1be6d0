/* The overview of a run (command): see overview.h. */
#include "draw/overview.h"

#include <stdlib.h>

/* Regions beyond these had little time, because they are ordered by it. They are not told apart. */
#define REGIONS 200

static unsigned
known(const struct fg_story *story)
{
	return story->n_regions < REGIONS ? (unsigned)story->n_regions : REGIONS;
}

static unsigned
kind_of(const struct fg_story *story, const struct fg_story_slice *slice)
{
	uint32_t region = story->bubbles[story->threads[slice->thread].bubble].region;
	return 2 * (region < known(story) ? region : known(story)) + (slice->doing == FG_WAITS);
}

struct fg_overview
fg_overview_of(const struct fg_story *story, unsigned parts)
{
	struct fg_overview overview = {.parts = parts, .kinds = 2 * known(story) + 2};
	overview.ns = fg_trace_memory((size_t)parts * overview.kinds, sizeof *overview.ns);
	overview.part_ns = (double)(story->to - story->from) / parts;
	if (overview.part_ns <= 0)
		overview.part_ns = 1;
	for (size_t i = 0; i < story->n_slices; i++) {
		const struct fg_story_slice *slice = &story->slices[i];
		double from = (double)(slice->from - story->from), to = (double)(slice->to - story->from);
		unsigned kind = kind_of(story, slice), part = (unsigned)(from / overview.part_ns);
		for (; part < parts && part * overview.part_ns < to; part++) {
			double left = part * overview.part_ns, right = left + overview.part_ns;
			double own = (to < right ? to : right) - (from > left ? from : left);
			overview.ns[(size_t)part * overview.kinds + kind] += own > 0 ? (float)own : 0;
		}
	}
	return overview;
}

void
fg_overview_free(struct fg_overview *overview)
{
	free(overview->ns);
}
