/* Seeking a seat for each member (command; called by seating.c): the least price, by a local search.
 *
 *     price = sum over pairs of weight x near(their seats) + sum over members of pull(member, seat)
 *
 * Two members exchange their seats if that is cheaper; with pulls, so do two subtrees under one level. When nothing
 * helps, the seating is annealed: exchanges by chance, dearer ones too, and fewer and fewer of those. The chance is the
 * same in each call. Member 0 stays. */
#pragma once
#include "plan/seats.h"

struct fg_seek {
	const struct fg_seats *seats;
	const double *weights; /* n x n, symmetric */
	const double *pull;    /* n x n: by member and seat; NULL: nothing pulls */
};

double fg_seek_price(const struct fg_seek *seek, const unsigned *seat);
/* Returns the price of what it makes of `seat`. `steps`: of annealing. */
double fg_seek_improve(const struct fg_seek *seek, unsigned *seat, unsigned steps);
/* Steps that take some tenths of a second at most; 0 where too many would be needed. */
unsigned fg_seek_steps(unsigned n);
