/* Binding: which place each member of a team gets (floor: team; OpenMP 5.2, 10.1.3). All of it is skipped where there is no list
 * of places: test fg_place_count first. */
#pragma once
#include "team/inside.h"
#include "team/places/list.h"
#include <stdint.h>

struct fg_identity;
struct fg_team;
struct fg_worker;

/* A member's place, and its place partition: the places that its own regions may use. */
struct fg_place_slot {
	unsigned place;
	unsigned first, count;
	unsigned bound; /* the place its kernel thread is bound to: `place`, or one within it that it shares with others */
};

/* The slots of the members of a region of `size`, met by a thread with the slot *primary, that is bound as `bind` says (never
 * FG_BIND_FALSE; see fg_icv_bind). */
void fg_places_assign(const struct fg_place_slot *primary, unsigned bind, unsigned size, struct fg_place_slot *slots);

/* At the fork, before any member starts, and not for a team of one: fills team->places from the encountering thread's slot (the
 * thread is still what it was before). Cheap where nothing changed since the team's last region; *moved: it did. False: there is no memory. */
bool fg_places_fork(struct fg_identity *primary, struct fg_team *team, unsigned bind, bool *moved);
/* The members, dealt round n_workers by their numbers, find those of their own place there. */
bool fg_places_round(const struct fg_team *team, unsigned bind, unsigned n_workers);
/* The worker, of at most n_workers, for each member: members of one place share workers, as many as the place's share of them;
 * member 0 has worker 0. Kept with the team until the places change (`moved`); NULL: no memory, deal them anyhow. */
const uint16_t *fg_places_slots(struct fg_team *team, bool moved, unsigned n_workers);

/* The caller's slot. */
FG_ANYWHERE struct fg_place_slot fg_place_current(const struct fg_identity *self);

/* Binds the calling kernel thread to the CPUs of a place. */
void fg_place_bind(unsigned place);
/* The same for the kernel thread of the caller's worker; place + 1, or 0: to the process's CPUs (fg_exec_above.rebind). */
void fg_place_rebind(struct fg_worker *worker, unsigned place);
/* In the child of a fork, which may be anything: gives it the process's CPUs where its thread was bound to a place. */
void fg_places_after_fork(void);
/* Binds a thread of the program to the first place, once: when the library is loaded, later threads at their first region. */
FG_ANYWHERE void fg_places_bind_initial(void);
