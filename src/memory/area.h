/* Area: a piece of memory that the runtime knows, on which NUMA nodes its pages lie, and who is attached to it (floor: memory; made by
 * team/hints/areas.c, asked by sched/areas.c).
 *
 * Areas are ranges of bytes; two of the same range are one, others may overlap. One is there as long as an allocator has it, or anybody is attached
 * to it. A team is attached by its name, any address of its own: the whole of it, or a member.
 *
 * One lock (FG_RANK_AREAS) guards all of it. It is taken where a hint is given, where a team that was given one ends, where an allocator
 * places a block, and where a policy asks; never where none of this happens. Nothing is allocated under it: malloc may wait for a thread
 * that the runtime has switched out. So there is a stock, to which the callers give when it was empty, and which is kept for ever. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Book is kept of areas: somebody wants to know of them. Set when the library is loaded. */
extern bool fg_areas_kept;

#define FG_ALL_MEMBERS (~0u)

struct fg_area {
	uintptr_t start, end;
	bool allocated; /* by an allocator that places its blocks */
	struct fg_attachment *first;
	struct fg_area *next, **link; /* those of one hash */
	bool asked;
	uint64_t asked_at;
	size_t on_node[]; /* fg_areas_nodes of them; as it was asked_at */
};

struct fg_attachment {
	struct fg_area *area;
	const void *team;
	unsigned member; /* its number, or FG_ALL_MEMBERS */
	unsigned access;
	const void *thread; /* of member 0, which is a member of another team too: who it is; else NULL */
	struct fg_attachment *next, **link;	      /* those of the area */
	struct fg_attachment *team_next, **team_link; /* those of teams of one hash */
};

/* Nodes are numbered 0 .. so many - 1. */
unsigned fg_areas_nodes(void);

void fg_areas_lock(void);
void fg_areas_unlock(void);
/* What an area and an attachment are made of: got without the lock, given to the stock with it. false: out of memory. */
struct fg_area_stuff {
	struct fg_area *area;
	struct fg_attachment *attachment;
};
bool fg_area_stuff(struct fg_area_stuff *stuff);
void fg_area_stock_locked(struct fg_area_stuff stuff);

/* NULL: there is none. */
struct fg_area *fg_area_find_locked(uintptr_t start, uintptr_t end);
/* An allocator has it. NULL: the stock is empty. */
struct fg_area *fg_area_allocated_locked(uintptr_t start, uintptr_t end);
/* An allocator had it: it is no more, nor is anything attached to what lies in it. false: it was not known. */
bool fg_area_freed_locked(uintptr_t start, uintptr_t end);

enum fg_attached { FG_ATTACHED_ANEW, FG_ATTACHED_BEFORE, FG_ATTACHED_NO_STOCK };
/* The area is made if need be. */
enum fg_attached fg_attach_locked(uintptr_t start, uintptr_t end, const struct fg_attachment *what);
/* false: that was not attached. */
bool fg_detach_locked(uintptr_t start, uintptr_t end, const void *team, unsigned member);
/* All of a team. */
void fg_detach_team_locked(const void *team);

/* Walks. */
struct fg_area *fg_areas_next_locked(const struct fg_area *area); /* NULL: from the first, and after the last */
struct fg_attachment *fg_attached_next_locked(const void *team, const struct fg_attachment *attachment);

/* on_node as it is now, or was a moment ago: it is asked anew FG_AREA_FRESH_NS later, or when somebody was attached since. */
#define FG_AREA_FRESH_NS 10000000
const size_t *fg_area_measure_locked(struct fg_area *area);

/* In the child of a fork: nothing is known. */
void fg_areas_after_fork(void);
