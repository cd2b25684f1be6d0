/* Area hints: what the program and its allocators tell of memory (floor: team; called by region/region.c, alloc/allocator.c, omp/forestgomp.c). Book of it is kept by
 * memory/area.h; what is attached to a team has the name of its bubble. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "memory/area.h"
#include "team/inside.h"

struct fg_identity;
struct fg_team;

/* A range and how it is used, as a hint names it, `who` being the hint. */
struct fg_area_hint {
	const char *who;
	const void *start;
	size_t bytes;
	unsigned access;
};
/* Of the next team: one member, or FG_ALL_MEMBERS. */
FG_OUTSIDE void fg_areas_hint_next(const struct fg_area_hint *hint, unsigned member);
/* Of the calling thread. */
FG_OUTSIDE void fg_areas_hint_attach(const struct fg_area_hint *hint);
FG_OUTSIDE void fg_areas_hint_detach(const struct fg_area_hint *hint);

/* The new team gets what was told for it, or nothing. */
void fg_areas_take(struct fg_identity *self, struct fg_team *team);
/* The calling thread ends. */
void fg_areas_forget(void);
/* Its region is over. */
void fg_areas_end(struct fg_identity *self, struct fg_team *team);

/* Blocks on pages that were placed. */
void fg_areas_allocated(const void *start, size_t bytes);
void fg_areas_freed(const void *start, size_t bytes);
