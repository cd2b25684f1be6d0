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

/* Memory that threads work on, for the policies that look at it (docs/schedulers.md); otherwise these cost a load and a branch. An area is
 * any range of bytes. A range that is empty, at NULL or past the end of memory, or an access that is none is ignored (told with FGOMP_VERBOSE).
 *
 * Of the next team that the calling thread makes: its members all work on it, or one of them does, by number. As often as there are
 * areas. Attached until that team's region ends. */
enum fgomp_access { FGOMP_READ = 1, FGOMP_WRITE = 2, FGOMP_READ_WRITE = 3 };
void fgomp_add_next_team_area(const void *start, size_t bytes, unsigned access);
void fgomp_add_next_team_member_area(unsigned number, const void *start, size_t bytes, unsigned access);
/* The calling thread, within a region, works on it from now on, until it says otherwise, or the region ends. Told again with another
 * access, that holds. What lies in a block of an allocator that places its memory is detached when the block is freed; of other memory
 * that is freed or unmapped the runtime does not know. */
void fgomp_attach_area(const void *start, size_t bytes, unsigned access);
void fgomp_detach_area(const void *start, size_t bytes);

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
