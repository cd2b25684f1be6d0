/* ForestGOMP's own calls, for what OpenMP has no word for. A program works with none of them. */
#ifndef FORESTGOMP_H
#define FORESTGOMP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "ForestGOMP 0.1.0": tells, too, that the running libgomp.so.1 is this one (look it up as a weak symbol). */
const char *fgomp_version(void);

/* Load of the next team that the calling thread makes, in any one unit, the same for all teams; and of its members, by their number:
 * n values. 0 means unknown, as does what is below 0 or above 1e30. For the policies that use loads (docs/schedulers.md). Forgotten once that
 * team is made. */
void fgomp_set_next_team_load(double load);
void fgomp_set_next_team_member_loads(unsigned n, const double *loads);

/* On a simulated machine (`forestgomp sim`, docs/simulator.md) the caller has computed for so many nanoseconds; with --given nothing
 * else counts as computing, and the run can be repeated exactly. Otherwise it does nothing: one load and a branch. */
void fgomp_sim_work(unsigned long long ns);

/* On a simulated machine the caller has gone through these bytes once, reading them, or changing them (or touching them for the first
 * time). That is charged by where they lie and who had them last; fgomp_sim_work is then computing with all data at hand. Where computing
 * is timed call it before the part of the program that it tells of. Otherwise it does nothing: one load and a branch. */
void fgomp_sim_read(const void *start, size_t bytes);
void fgomp_sim_write(const void *start, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
