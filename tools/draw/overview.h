/* The overview of a whole run (command; called by page_model.c and perfetto.c): the share of the PUs' time that
 * each region had, in so many equal parts of the run. */
#pragma once
#include "draw/story.h"

struct fg_overview {
	unsigned parts, kinds;
	float *ns; /* [part * kinds + kind] of all PUs together */
	double part_ns;
};

/* A kind is 2 * region, and 1 more if the member waits. The last two are of all other members. */
struct fg_overview fg_overview_of(const struct fg_story *story, unsigned parts);
void fg_overview_free(struct fg_overview *overview);
