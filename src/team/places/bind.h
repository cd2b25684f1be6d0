/* Binding: the place that each member of a team gets (floor: team; called by region.c, affinity_format.c and boot, and
 * by omp/affinity.c; OpenMP 5.2, 10.1.3). Callers skip all of it where there is no list of places: they test
 * fg_place_list.count first. exec/body/binding.h has the invariant of bound kernel threads.
 *
 * At the fork the encountering thread calls, inside and without a lock, and writes `places` of the new team. Afterwards
 * members only read these. fg_place_rebind is called as exec/ground/above.h says, perhaps in the preemption handler. */
#pragma once
#include "team/inside.h"
#include "team/places/list.h"
#include <stdint.h>

struct fg_cpuset;
struct fg_identity;
struct fg_team;

/* A member's place, and its place partition: the places that its own regions may use. */
struct fg_place_slot {
	unsigned place;
	unsigned first, count;
	/* The place to which its kernel thread is bound: `place`, or one within it that it shares with others. */
	unsigned bound;
};

/* The slots of the members of a region of `size`. A thread with the slot *primary meets the region. `bind` is never
 * FG_BIND_FALSE (see fg_icv_bind). */
void fg_places_assign(const struct fg_place_slot *primary, unsigned bind, unsigned size, struct fg_place_slot *slots);

/* Called at the fork, before any member starts, and not for a team of one. It fills team->places from the encountering
 * thread's slot in the region around, because that thread is not member 0 yet. The call is cheap where nothing has
 * changed since the team's last region. *moved: something has, so team->places was filled anew. False: there is no
 * memory. */
bool fg_places_fork(struct fg_identity *primary, struct fg_team *team, unsigned bind, bool *moved);
/* True: if each member k runs on worker k mod n_workers, each member is on a worker of its place. */
bool fg_places_round(const struct fg_team *team, unsigned bind, unsigned n_workers);
/* The worker of each member, below n_workers. Each place gets equally many workers, one at least, and its members
 * share these. Member 0 has worker 0. The team keeps the result until the places change (`moved`). NULL: there is no
 * memory; then the caller may deal the members in any way. */
const uint16_t *fg_places_slots(struct fg_team *team, bool moved, unsigned n_workers);

/* The caller's slot. */
FG_ANYWHERE struct fg_place_slot fg_place_current(const struct fg_identity *self);

/* Binds the caller's kernel thread, which is bound to the place `bound`, to another one. Each is a place + 1. 0 and
 * FG_PLACE_NONE give it `program`, unless the program has set another mask since. Where it was not bound, `program`
 * becomes the mask that it has; of_program: it is that of a thread of the program. Returns the place that it has now
 * (fg_exec_above.rebind). */
unsigned fg_place_rebind(unsigned bound, unsigned place, struct fg_cpuset *program, bool of_program);

/* The thread leaves its place at the end of an outermost active region. See fg_place_list.shown. */
void fg_places_leave(struct fg_identity *self);
/* The caller is a thread of the program outside of active regions, and has the CPUs of its place. The program must see
 * bound.program of its worker. */
FG_ANYWHERE bool fg_place_is_hidden(const struct fg_identity *self);
