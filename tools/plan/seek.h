/* Seeking a seat for each member (command; called by seating.c): the least price, by a local search.
 *
 *     price = sum over pairs of weight x near(their seats) + sum over members of pull(member, seat)
 *
 * Two members exchange their seats if that is cheaper; with pulls, so do two subtrees under one level. When nothing
 * helps, a few members are mixed by chance, and the search goes on from there; it keeps the best. The chance is the
 * same in each call. Member 0 stays. */
#pragma once
#include "plan/seats.h"

struct fg_seek {
	const struct fg_seats *seats;
	const double *weights; /* n x n, symmetric */
	const double *pull;    /* n x n: by member and seat; NULL: nothing pulls */
};

double fg_seek_price(const struct fg_seek *seek, const unsigned *seat);
/* Returns the price of what it makes of `seat`. `tries`: how often it mixes. */
double fg_seek_improve(const struct fg_seek *seek, unsigned *seat, unsigned tries);
/* Tries that take less than a tenth of a second. */
unsigned fg_seek_tries(unsigned n);
