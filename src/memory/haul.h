/* Haul: pages of an area on their way to the nodes of its users (floor: memory; policies ask through sched/request.h,
 * and the members carry out, in team/hints/areas.c).
 *
 * A policy says on which nodes the users of an attachment are. If the area lies elsewhere, its pages are wanted there,
 * from its start on. Each member takes pieces of its team's areas when it begins, those that it writes first, until
 * none is left. So several members haul an area together. Data of users on one node go there, and data of users on
 * several nodes go round these. No page moves that the program has bound, or that holds a byte outside of the area.
 * Where the system refuses most pages of a piece, because the node is full for example, the rest of the area stays.
 *
 * The lock of the areas guards which pieces are left. A piece is moved without any lock, because that may take a
 * millisecond. The memory may be freed meanwhile. Then the system refuses, or moves pages of what lies there now, which
 * costs time only. */
#pragma once
#include "base/atomic.h"
#include "memory/area.h"

/* Areas of which pieces are left, at most. */
extern struct fg_atomic_u32 fg_hauls_left __attribute__((visibility("hidden")));

struct fg_haul {
	uintptr_t low, high;  /* whole pages */
	uint64_t nodes;	      /* a bit for each; where they go */
	uintptr_t start, end; /* the area */
};

/* The users of the attachment are on these nodes from now on. */
void fg_haul_ask_locked(struct fg_attachment *attachment, uint64_t nodes);
/* The area ends, or is where it should be. */
void fg_haul_forget_locked(struct fg_area *area);
/* A piece for the member of this team. false: none is left. The caller holds no lock here and below. */
bool fg_haul_take(const void *team, unsigned member, struct fg_haul *haul);
/* Returns how many pages it has moved. */
unsigned fg_haul_carry_out(const struct fg_haul *haul);
