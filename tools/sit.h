/* Where the members of nested teams would sit (sit.c; `forestgomp topo -n 4,4` calls it). */
#pragma once
#include "machine/machine.h"
#include <stdbool.h>

#define SIT_DEPTH 8	 /* nested teams, at most */
#define SIT_MEMBERS 8192 /* of all teams, at most */

struct sit_request {
	unsigned sizes[SIT_DEPTH], depth;	  /* of the teams, outermost first */
	const char *machine;			  /* as fg_model_read takes it */
	const char *sched, *places, *bind, *seed; /* NULL: what the environment says */
};

struct sit_member {
	char name[64];	    /* "1.3": member 3 of the team that member 1 met */
	unsigned depth, pu; /* depth 1: of the outermost team; pu: its place in the machine's order */
	unsigned outermost; /* the member of the outermost team that it belongs to */
};

/* Runs such teams on the simulated machine, with the runtime's own placement. Returns an exit status, after a message
 * if it is not 0. The caller frees the list. */
int sit_find(const struct sit_request *request, struct sit_member **list, unsigned *n);
/* Writes the machine as a list of levels that fg_model_read takes. False: it is not regular. */
bool sit_machine_text(const struct fg_machine *machine, char *text, size_t size);
