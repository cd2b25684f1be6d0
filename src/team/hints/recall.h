/* Recall: the areas that a region's members worked on the last time are those of its next run, if the program tells
 * none (floor: team; called by areas.c and history.c). So hints outlive their region, as loads do (history.h): by the
 * region's code, its size, and the member that meets it.
 *
 * A region of which nothing was told has the areas of the regions that its members met, each under that member. So the
 * members of an outer team are known to work where their inner teams do.
 *
 * Only the thread that meets the region calls, inside and without a lock. It is the one that may read and change the
 * region's history and all below it. A range may have been freed meanwhile: then its pages lie nowhere, or it is a
 * wrong hint, and nothing but speed depends on it. */
#pragma once
#include <stdint.h>

#include "team/hints/history.h"

/* More are not kept. Ranges that were the same for so many runs are settled. */
enum { FG_RECALL_RANGES = 256, FG_RECALL_SETTLED = 8 };

/* A range and its use: by one member, or by FG_ALL_MEMBERS. */
struct fg_hinted_range {
	uintptr_t start, end;
	unsigned member, access;
};

struct fg_recall {
	uint64_t digest;
	unsigned runs; /* how often in a row the ranges were the same */
	unsigned n;
	struct fg_hinted_range range[];
};

/* The ranges as a number, whatever their order. 0: there are none. */
uint64_t fg_recall_digest(const struct fg_hinted_range *range, unsigned n);
/* The ranges of the team's last run. Returns how many were written, up to `room`. */
unsigned fg_recall_ranges(const struct fg_team *team, struct fg_hinted_range *range, unsigned room);
/* What the last runs of the team's region tell. Its ranges have this digest now. */
struct fg_habits fg_recall_habits(const struct fg_team *team, uint64_t digest);
/* Keeps what is attached to the team now. `recalled` is the digest of what was recalled at its begin. */
void fg_recall_note(const struct fg_team *team, uint64_t recalled);
