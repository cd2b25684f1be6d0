/* Area: a piece of memory that the runtime knows, the NUMA nodes on which its pages lie, and the teams attached to it
 * (floor: memory; made by team/hints/areas.c, asked by sched/areas.c).
 *
 * An area is a range of bytes. Two of the same range are one; others may overlap. An area exists as long as an
 * allocator or the program keeps it, or a team is attached to it. A team is attached as a whole, or a
 * member of it is. Its name is any address of its own.
 *
 * One lock (FG_RANK_AREAS) guards all of it. It is taken where a hint is given, where a team with hints ends, where an
 * allocator places a block, and where a policy asks. It is taken nowhere else. Nothing is allocated under it, because
 * malloc may wait for a thread that the runtime has switched out. So there is a stock. The callers give to it when it
 * was empty, and it is kept for ever.
 *
 * Callers of functions `_locked` hold the lock; those of fg_areas_lock are inside and hold no lock of rank AREAS or
 * higher. Nothing waits for another thread. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FG_ALL_MEMBERS (~0u)

/* Why an area is there while no team is attached to it. The areas that the program keeps do not overlap each other. */
enum fg_area_kept {
	FG_AREA_PASSING,
	FG_AREA_OF_ALLOCATOR, /* one that places its blocks */
	FG_AREA_REGISTERED,   /* by the program: include/forestgomp/memory.h */
	FG_AREA_MAPPED,	      /* for the program: the same */
};

struct fg_area {
	uintptr_t start, end;
	enum fg_area_kept kept;
	struct fg_attachment *first;
	struct fg_area *next, **link; /* those of one hash */
	/* The nodes to which its pages are brought, a bit for each, and from where on they are still to go; 0: nowhere
	 * (haul.h). stuck: the system has refused. */
	uint64_t wanted;
	uintptr_t at;
	bool stuck;
	bool asked;
	uint64_t asked_at;
	size_t on_node[]; /* fg_areas_nodes of them; as it was asked_at (fg_areas_ask) */
};

struct fg_attachment {
	struct fg_area *area;
	const void *team;
	unsigned member; /* its number, or FG_ALL_MEMBERS */
	unsigned access;
	uint64_t nodes; /* where a policy has sent the users, a bit for each; 0: it is not known */
	/* If member 0 of the team is a member of another team too, that thread; else NULL. */
	const void *thread;
	struct fg_attachment *next, **link;	      /* those of the area */
	struct fg_attachment *team_next, **team_link; /* those of teams of one hash */
};

/* The number of nodes. They are numbered from 0. */
unsigned fg_areas_nodes(void);

void fg_areas_lock(void);
void fg_areas_unlock(void);
/* The memory for an area and an attachment. The caller gets it without the lock, and gives it to the stock with the
 * lock. false: out of memory. */
struct fg_area_stuff {
	struct fg_area *area;
	struct fg_attachment *attachment;
};
bool fg_area_stuff(struct fg_area_stuff *stuff);
void fg_area_stock_locked(struct fg_area_stuff stuff);

/* NULL: there is none. */
struct fg_area *fg_area_find_locked(uintptr_t start, uintptr_t end);
/* An allocator or the program keeps the area. NULL: the stock is empty. */
struct fg_area *fg_area_keep_locked(uintptr_t start, uintptr_t end, enum fg_area_kept kept);
/* The area is kept no longer, and has perhaps been freed. All attachments to areas within it end. false: it was not
 * kept. */
bool fg_area_freed_locked(uintptr_t start, uintptr_t end);
/* An area that the program keeps and that has bytes of this range; NULL: none. */
struct fg_area *fg_area_kept_locked(uintptr_t start, uintptr_t end);
/* Such an area becomes n: part i of n begins at a whole multiple of `page`, but for the first. It has n pages at least.
 * false: the stock has too few. */
struct fg_area_range {
	uintptr_t start, end;
};
uintptr_t fg_area_part(struct fg_area_range whole, unsigned n, unsigned i, size_t page);
bool fg_area_split_locked(struct fg_area *area, unsigned n, size_t page);

enum fg_attached { FG_ATTACHED_ANEW, FG_ATTACHED_BEFORE, FG_ATTACHED_NO_STOCK };
/* Makes the area if it does not exist. */
enum fg_attached fg_attach_locked(uintptr_t start, uintptr_t end, const struct fg_attachment *what);
/* false: it was not attached. */
bool fg_detach_locked(uintptr_t start, uintptr_t end, const void *team, unsigned member);
/* Ends all attachments of a team. */
void fg_detach_team_locked(const void *team);

/* Walks. */
struct fg_area *fg_areas_next_locked(const struct fg_area *area); /* NULL: from the first, and after the last */
struct fg_attachment *fg_attached_next_locked(const void *team, const struct fg_attachment *attachment);

/* Asks the system where the areas lie that `wanted` names, without the lock, because each question takes up to 0.1 ms.
 * Afterwards on_node is as it is now, or was a moment ago. An area is asked about anew FG_AREA_FRESH_NS later, or when
 * a team was attached since. An area that was never asked about lies on no node. The caller does not hold the lock of
 * the areas. `wanted` is called with it. */
#define FG_AREA_FRESH_NS 10000000
void fg_areas_ask(bool (*wanted)(const struct fg_area *area, const void *arg), const void *arg);

/* In the child of a fork: nothing is known. */
void fg_areas_after_fork(void);
