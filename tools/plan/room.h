/* Memory of the planner (command; called by the files of tools/plan and pin_uses.c). */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns zeroed memory for n items, or ends the program. */
static inline void *
fg_room(size_t n, size_t size)
{
	void *room = calloc(n ? n : 1, size);
	if (!room) {
		fprintf(stderr, "forestgomp: there is no memory\n");
		exit(1);
	}
	return room;
}

/* Returns the list of n items in twice the room, at least `first`. The old one is freed. */
static inline void *
fg_room_more(void *list, size_t n, size_t *room, size_t first, size_t size)
{
	*room = *room ? 2 * *room : first;
	void *more = fg_room(*room, size);
	if (n)
		memcpy(more, list, n * size);
	free(list);
	return more;
}
