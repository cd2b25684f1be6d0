/* The regions of a story, and helpers for lists (command; story.c uses it). */
#pragma once
#include "draw/story.h"

/* Finds the regions that were met, in the order of their functions, and gives them names and labels. */
void fg_story_regions_find(struct fg_story *story);
/* Gives names and labels to regions, of which only the function is known. */
void fg_story_regions_name(const struct fg_trace *trace, struct fg_story_region *regions, size_t n);
/* Returns the index of the region with this function. The regions must be in the order of their functions. */
uint32_t fg_story_region_of(const struct fg_story *story, uint64_t function);
/* Orders the regions by their cost, and corrects the bubbles that point to them. */
void fg_story_regions_sort(struct fg_story *story);

/* For qsort: compares two uint64_t. */
int fg_story_by_key(const void *a, const void *b);
/* Finds an item of an ordered list by bisection. FG_NOBODY: it is not there. */
size_t fg_story_bisect(const void *list, size_t n, size_t size, uint64_t key, uint64_t (*key_of)(const void *item));
