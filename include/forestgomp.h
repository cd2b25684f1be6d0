/* ForestGOMP's own calls, for wishes that OpenMP cannot express. A program needs none of them. */
#ifndef FORESTGOMP_H
#define FORESTGOMP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "ForestGOMP 0.1.0". Where this symbol exists, the running libgomp.so.1 is ForestGOMP (look it up as a weak
 * symbol). */
const char *fgomp_version(void);

/* The load of the next team that the calling thread makes, in any one unit, the same for all teams; and the loads of
 * its members, by their number: n values. 0 means unknown, and so does a value below 0 or above 1e30. Policies that use
 * loads read them (docs/schedulers.md). Both are forgotten once that team is made. */
void fgomp_set_next_team_load(double load);
void fgomp_set_next_team_member_loads(unsigned n, const double *loads);

/* Memory that threads work on, for the policies that look at it (docs/schedulers.md). Without such a policy these calls
 * cost a load and a branch. An area is any range of bytes. A range that is empty, at NULL or past the end of memory is
 * ignored. So is an access that is none of these three. FGOMP_VERBOSE tells of it.
 *
 * The first two calls are about the next team that the calling thread makes: all its members work on the area, or the
 * member of that number does. A program may call them for several areas. An area is attached until that team's region
 * ends. */
enum fgomp_access { FGOMP_READ = 1, FGOMP_WRITE = 2, FGOMP_READ_WRITE = 3 };
void fgomp_add_next_team_area(const void *start, size_t bytes, unsigned access);
void fgomp_add_next_team_member_area(unsigned number, const void *start, size_t bytes, unsigned access);
/* Within a region, the calling thread works on the area from now on, until it detaches it or the region ends. A second
 * call with another access replaces the first. When a block of an allocator that places its memory is freed, the areas
 * in it are detached. The runtime does not know when other memory is freed or unmapped. */
void fgomp_attach_area(const void *start, size_t bytes, unsigned access);
void fgomp_detach_area(const void *start, size_t bytes);

/* With FGOMP_SHARE=on (docs/sharing.md): outside of regions, the calling thread is about to wait for something outside
 * of the program, for a millisecond or more. If no region is in flight, other programs have its PUs at once, and not
 * only 20 ms later. Then the wait is over. In a region, and without sharing, both do nothing. */
void fgomp_wait_begins(void);
void fgomp_wait_ends(void);

/* On a simulated machine (`forestgomp sim`, docs/simulator.md) the caller has computed for so many nanoseconds. With
 * --given nothing else counts as computing, and the run can be repeated exactly. Elsewhere it does nothing: one load
 * and a branch. */
void fgomp_sim_work(unsigned long long ns);

/* On a simulated machine the caller has gone through these bytes once. It has read them, or has changed them (or
 * touched them for the first time). The charge depends on where they lie and which PU had them last. fgomp_sim_work
 * then stands for computing with all data at hand. Where computing is timed, call these before the part of the program
 * that uses the bytes. Elsewhere they do nothing: one load and a branch. */
void fgomp_sim_read(const void *start, size_t bytes);
void fgomp_sim_write(const void *start, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
