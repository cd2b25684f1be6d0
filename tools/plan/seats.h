/* Seats: the PUs that a team's members have, as the leaves of the machine's tree (command; used by starts.c, seek.c and
 * seating.c). Seats are numbered in the order of their PUs, so those below a level follow each other. */
#pragma once
#include "machine/machine.h"

struct fg_span {
	unsigned first, n; /* seats */
};

struct fg_seats {
	const struct fg_machine *machine;
	unsigned n, root; /* root: the seat of member 0, which stays there */
	uint16_t *pu;	  /* by seat */
	double *near;	  /* n x n, by seats: ns of a line between them */
	double move;	  /* ns of a member's move, beside its lines */
};

/* The seats of a layout: a PU for each of n members. `between` tells the ns of a line from one PU to another. */
void fg_seats_make(struct fg_seats *seats, const struct fg_machine *machine, const uint16_t *pu, unsigned n,
		   double (*between)(const void *arg, unsigned from, unsigned to), const void *arg);
struct fg_span fg_seats_below(const struct fg_seats *seats, const struct fg_level *level);
/* The seat of each member in another layout. False: it has other PUs, or another one for member 0. */
bool fg_seats_of(const struct fg_seats *seats, const uint16_t *pu, unsigned *seat);
void fg_seats_free(struct fg_seats *seats);
