/* Area hints: statements of the program and its allocators about memory (floor: team; called by region/region.c,
 * alloc/allocator.c, boot/start.c, omp/forestgomp.c). memory/area.h keeps the records. An attachment to a team has
 * the name of the team's bubble.
 *
 * Hints for the next team lie in thread-local memory of the pthread that told them. fg_areas_take and fg_areas_end are
 * called inside, without a lock; fg_areas_allocated, fg_areas_freed and fg_areas_forget inside or outside, without a
 * lock. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "memory/area.h"
#include "team/inside.h"

struct fg_identity;
struct fg_team;

/* A range and its use, as a hint states it. `who` is the name of the hint. */
struct fg_area_hint {
	const char *who;
	const void *start;
	size_t bytes;
	unsigned access;
};
/* A hint for the next team: for one member, or for FG_ALL_MEMBERS. */
FG_OUTSIDE void fg_areas_hint_next(const struct fg_area_hint *hint, unsigned member);
/* Hints of the calling thread. */
FG_OUTSIDE void fg_areas_hint_attach(const struct fg_area_hint *hint);
FG_OUTSIDE void fg_areas_hint_detach(const struct fg_area_hint *hint);

/* The new team gets the hints for it, if there are any. */
void fg_areas_take(struct fg_identity *self, struct fg_team *team);
/* The calling thread ends. */
void fg_areas_forget(void);
/* The caller begins as a member of the team, and brings data of it that a policy wants elsewhere (memory/haul.h). */
void fg_areas_haul(const struct fg_team *team, unsigned member);
/* The team's region is over. */
void fg_areas_end(struct fg_identity *self, struct fg_team *team);

/* Blocks on pages that an allocator has placed. */
void fg_areas_allocated(const void *start, size_t bytes);
void fg_areas_freed(const void *start, size_t bytes);

/* Areas that the program keeps (alloc/manager.c). The caller is outside, without a lock. */
enum fg_area_keeping { FG_KEEPS, FG_KEEPS_ANOTHER, FG_KEEPS_NO_MEMORY };
enum fg_area_keeping fg_areas_keep(const void *start, size_t bytes, enum fg_area_kept kept);
/* The bytes of the area of this kind that begins there; 0: there is none. `drop`: it is kept no longer. */
size_t fg_areas_kept(const void *start, enum fg_area_kept kept, bool drop);
/* The range lies within one such area. */
bool fg_areas_is_within(const void *start, size_t bytes, enum fg_area_kept kept);
/* The one there becomes n areas, and `parts` gets their starts. Returns 0, ENOENT: there is none, EINVAL: it has not as
 * many pages, or ENOMEM. */
int fg_areas_split(const void *start, unsigned n, size_t page, void **parts);
