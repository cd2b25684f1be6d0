/* The regions of a story (command): see story_regions.h. */
#include "draw/story_regions.h"
#include "draw/plain_name.h"
#include "draw/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
fg_story_by_key(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

size_t
fg_story_bisect(const void *list, size_t n, size_t size, uint64_t key, uint64_t (*key_of)(const void *item))
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (key_of((const char *)list + middle * size) < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && key_of((const char *)list + low * size) == key ? low : FG_NOBODY;
}

static int
by_function(const void *a, const void *b)
{
	const struct fg_story_region *x = a, *y = b;
	return (x->function > y->function) - (x->function < y->function);
}

static uint64_t
region_key(const void *item)
{
	return ((const struct fg_story_region *)item)->function;
}

/* Numbers tell apart the regions of one function: in the order of the source, as far as its lines are known. */
static int
by_label(const void *a, const void *b)
{
	const struct fg_story_region *x = *(struct fg_story_region *const *)a, *y = *(struct fg_story_region *const *)b;
	int order = strcmp(x->label, y->label);
	if (!order && x->line && y->line)
		order = strcmp(x->file, y->file) ? strcmp(x->file, y->file) : (x->line > y->line) - (x->line < y->line);
	return order ? order : by_function(x, y);
}

void
fg_story_regions_name(const struct fg_trace *trace, struct fg_story_region *regions, size_t n)
{
	struct fg_story_region **list = fg_trace_memory(n, sizeof *list);
	for (size_t i = 0; i < n; i++) {
		list[i] = &regions[i];
		fg_trace_function(trace, list[i]->function, list[i]->name, sizeof list[i]->name);
		fg_plain_name(list[i]->name, list[i]->label, sizeof list[i]->label - 24);
		fg_trace_source(trace, list[i]->function, list[i]->file, sizeof list[i]->file, &list[i]->line);
	}
	qsort(list, n, sizeof *list, by_label);
	for (size_t first = 0, next; first < n; first = next) {
		for (next = first + 1; next < n && strcmp(list[first]->label, list[next]->label) == 0;)
			next++;
		for (size_t i = first; next - first > 1 && i < next; i++)
			snprintf(strchr(list[i]->label, '\0'), 24, ", region %zu", i - first + 1);
	}
	free(list);
}

void
fg_story_regions_find(struct fg_story *story)
{
	const struct fg_trace *trace = story->trace;
	uint64_t *functions = fg_trace_memory(trace->n_items, sizeof *functions);
	size_t n = 0;
	for (size_t i = 0; i < trace->n_items; i++)
		if (trace->items[i].record.event == FG_EVENT_meet)
			functions[n++] = trace->items[i].record.b;
	qsort(functions, n, sizeof *functions, fg_story_by_key);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || functions[i] != functions[i - 1])
			functions[story->n_regions++] = functions[i];
	story->regions = fg_trace_memory(story->n_regions, sizeof *story->regions);
	for (size_t i = 0; i < story->n_regions; i++) {
		struct fg_story_region *region = &story->regions[i];
		region->function = functions[i];
		region->shortest = UINT64_MAX;
		region->fewest = UINT32_MAX;
	}
	fg_story_regions_name(trace, story->regions, story->n_regions);
	free(functions);
}

uint32_t
fg_story_region_of(const struct fg_story *story, uint64_t function)
{
	return (uint32_t)fg_story_bisect(story->regions, story->n_regions, sizeof *story->regions, function,
					 region_key);
}

static int
by_cost(const void *a, const void *b)
{
	const struct fg_story_region *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? 1 : -1;
	return by_function(a, b);
}

void
fg_story_regions_sort(struct fg_story *story)
{
	uint64_t *before = fg_trace_memory(story->n_regions, sizeof *before);
	uint32_t *now = fg_trace_memory(story->n_regions, sizeof *now);
	for (size_t i = 0; i < story->n_regions; i++)
		before[i] = story->regions[i].function;
	qsort(story->regions, story->n_regions, sizeof *story->regions, by_cost);
	for (size_t i = 0; i < story->n_regions; i++)
		now[fg_story_bisect(before, story->n_regions, sizeof *before, story->regions[i].function, region_key)] =
			(uint32_t)i;
	for (size_t i = 0; i < story->n_bubbles; i++)
		if (story->bubbles[i].region != FG_NOBODY)
			story->bubbles[i].region = now[story->bubbles[i].region];
	free(before);
	free(now);
}

double
fg_story_imbalance(const struct fg_story_region *region)
{
	return region->work ? (double)region->most_work / (double)region->work - 1 : 0;
}
