/* Groups: the workers of a large flat team, grouped along the tree of the machine (floor: exec; made by dock_setup.c
 * for the owner of the dock, used by flat and by team/share).
 *
 * A *group* has several parts, in the order of their PUs. Each part is a slot or a smaller group. The smallest groups
 * share a cache. So a worker has few parts beside it on each level, and all groups of a machine form one tree.
 *
 * The groups are made once for a layout. A small team, and one that shares a cache, has none. The owner of the dock
 * makes them, inside or outside and without a lock. Then all members read them, until the region has ended. */
#pragma once
#include "exec/thread/done.h"
#include "forest/runqueue.h"

struct fg_fork;

#define FG_GROUPS_SMALL 8 /* a team of so many workers has no groups */

struct fg_group_part {
	uint16_t which; /* a slot, or a group's number */
	bool is_group;
};

struct fg_group {
	uint16_t from, to; /* its slots are order[from .. to-1] */
	uint16_t lowest;   /* the lowest of its slots */
	uint16_t around;   /* the group that has this one as a part; its own number: none */
	uint16_t first, n; /* its parts are parts[first .. first+n-1] */
};

struct fg_groups {
	unsigned slots;		   /* of the layout; 0: the team has no groups */
	unsigned n_inner;	   /* groups that have slots as parts */
	uint16_t *inner;	   /* of each slot: the number of its smallest group among these, 0 .. n_inner-1 */
	uint16_t *order;	   /* the slots, by PU */
	uint16_t *group_of;	   /* of each slot: the group of which it is a part */
	struct fg_done (*done)[2]; /* of each group: its summaries (summary.h); their memory stays */
	struct fg_fork *forks;	   /* of each of the n_inner: its copy of the fork (forks.h); their memory stays */
	struct fg_group *groups;   /* the parts of a group have smaller numbers; the last group has all slots */
	struct fg_group_part *parts, *stack;
	unsigned n_groups, n_parts, n_stack;
};

/* Room for the groups of layouts on so many PUs, without any. NULL: there is no memory. */
struct fg_groups *fg_groups_new(unsigned n_pus);
void fg_groups_free(struct fg_groups *groups);
/* A team of so many workers may have groups. */
bool fg_groups_large(unsigned slots);
/* Makes the groups of a layout. pus: the PU of each slot, by logical number, none twice. */
void fg_groups_make(struct fg_groups *groups, struct fg_runqueue *machine, const unsigned *pus, unsigned slots);
