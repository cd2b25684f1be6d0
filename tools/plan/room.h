/* Memory of the planner (command; called by the files of tools/plan and pin_uses.c). */
#pragma once
#include <stdio.h>
#include <stdlib.h>

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
