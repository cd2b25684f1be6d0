/* Starts: seatings by the two methods of Dynamic Thread Pinning (Euro-Par 2013) (command; called by seating.c). One
 * step is done for each level of the tree, with parts of the sizes that the level has seats for.
 *
 *     LPGP  pairs first, by a matching of maximum weight; then the pairs are divided over the sockets
 *     GPLP  the members are divided over the sockets first, then matched inside each
 *
 * The matching is exact for up to 16 members, else greedy with exchanges. The division grows its parts one by one, then
 * exchanges members as long as that helps. `anneals`: exchanges by chance come first, which takes longer and finds
 * more. */
#pragma once
#include "plan/seats.h"

/* `weights`: n x n, symmetric. Member 0 gets the root's seat. */
void fg_start_lpgp(const struct fg_seats *seats, const double *weights, unsigned *seat, bool anneals);
void fg_start_gplp(const struct fg_seats *seats, const double *weights, unsigned *seat, bool anneals);

/* Pairs of some members: pairs[2 i] with pairs[2 i + 1]. With an odd n, the last one stays alone, as
 * pairs[n - 1]. */
void fg_match(const double *weights, unsigned n_all, const unsigned *members, unsigned n, unsigned *pairs);
