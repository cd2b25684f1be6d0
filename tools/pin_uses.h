/* What a trace tells of sharing: which member uses which data in which region, and in which order regions come
 * (command; pin_uses.c, called by the files of `forestgomp pin`). Only traces of the simulated machine tell data.
 * Regions within others, and those of teams of another size, are left out. */
#pragma once
#include "draw/story.h"
#include "machine/pin_file.h"
#include "plan/graph.h"

#define PIN_MEMBERS 512 /* of a team, at most: the search takes too long for larger ones */

enum { PIN_HALVES = 2 };

struct pin_sharing {
	unsigned members, n; /* of each team; regions */
	struct pin_sharer {
		char name[FG_PIN_NAME]; /* as in a pin file; empty: its file could not be read */
		char label[256];
		uint64_t calls, time, samples;
		bool hot;    /* it is one of the fewest regions that take 95% of the time of all */
		unsigned at; /* its place among the regions that were measured; FG_NOBODY: none */
	} *region;
	struct fg_graph *graphs; /* by region */
	double *follows;	 /* n x n: how often the second followed the first */
	double *stays;		 /* n x n x members: lines that a member uses in both, where one follows the other */
	uint64_t records, lost;	 /* lost: bytes of uses that found no room */
	uint64_t samples;	 /* 0: uses were counted */
	struct fg_graph *half[PIN_HALVES]; /* graphs of one half of the samples each; NULL: there are none */
};

/* The name of a region in a pin file; empty if it cannot be told. */
void pin_region_name(const struct fg_trace *trace, uint64_t function, char name[FG_PIN_NAME]);
/* The size of the outermost teams that take the most time, up to so many members and PIN_MEMBERS. 0: there is none. */
unsigned pin_sharing_size(const struct fg_story *story, unsigned most);
/* False: the trace tells no data of such teams. */
bool pin_sharing_tell(const struct fg_story *story, unsigned members, struct pin_sharing *sharing);
void pin_sharing_free(struct pin_sharing *sharing);
