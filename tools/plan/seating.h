/* Seatings: where the members of a team sit in each region (command; called by pin_plan.c). The price of a seating is
 * that of all lines which go from PU to PU:
 *
 *     in a region           lines that two members share (graph.h), times the ns from one to the other
 *     from region i to j    as often as j follows i, for each member that moves: its lines that both regions use,
 *                           times the ns from the old PU to the new one; and the move itself
 *
 * First comes the best single seating for the sum of all graphs. A region leaves it only if the price of the whole
 * falls, moves paid. */
#pragma once
#include "plan/graph.h"
#include "plan/seats.h"

struct fg_seating_ask {
	const struct fg_seats *seats;
	unsigned regions;
	const struct fg_graph *graphs; /* by region */
	const bool *hot;	       /* a region that is not takes no seating of its own, but may take another's */
	const double *follows;	       /* regions x regions: how often the second followed the first */
	const double *stays;	       /* regions x regions x members: lines */
	const uint16_t *const *starts; /* PUs by member; those with other PUs than the seats are passed over */
	unsigned n_starts;
	double worth; /* seatings by region must save this part of the price, or all regions have the fixed one */
};

struct fg_seating {
	uint16_t *fixed;     /* PUs by member */
	uint16_t *by_region; /* regions x members */
	double fixed_price, by_region_price;
	bool moves; /* a region has another seating than the fixed one */
};

void fg_seating_find(const struct fg_seating_ask *ask, struct fg_seating *seating);
/* The price of any seating, of which `pu` has the PUs by region and member. */
double fg_seating_price(const struct fg_seating_ask *ask, const uint16_t *pu);
void fg_seating_free(struct fg_seating *seating);
