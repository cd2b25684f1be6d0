/* Plan: on which node each page of a range should lie (floor: memory; made by team/alloc/wish.c and pages.c, and used
 * by migrate.c).
 *
 * A plan has parts, and each part has a node. In a plan of rounds the pages go round the parts by their numbers in the
 * address space, as the kernel's interleaving does: `unit` pages for each 1 of a part's weight. A plan of blocks has
 * one piece of the range for each part, all of the same size. A plan of one part has its node for all pages.
 *
 * All but fg_plan_fit are arithmetic and system calls, and any lock may be held. Plans are the caller's, from
 * platform/memory.h. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/numa.h"

enum fg_plan_shape {
	FG_PLAN_NONE, /* the system's own way: a page lies where it is touched first */
	FG_PLAN_ROUNDS,
	FG_PLAN_BLOCKS,
};

struct fg_plan_part {
	unsigned node, weight;
	size_t need; /* bytes that fg_plan_fit has found room for */
};

struct fg_plan {
	enum fg_plan_shape shape;
	uintptr_t first; /* the number of the first page */
	size_t pages, unit;
	unsigned n, weights; /* the number of the parts, and the sum of their weights */
	bool tight;	     /* some nodes have room only if the kernel drops pages of files: it must be made to */
	struct fg_plan_part part[];
};

/* A plan for no range yet, with room for so many parts. NULL: there is no memory. */
struct fg_plan *fg_plan_new(enum fg_plan_shape shape, unsigned room);
void fg_plan_add(struct fg_plan *plan, unsigned node, unsigned weight);
/* Adds all nodes of a set, each with the weight 1. */
void fg_plan_add_all(struct fg_plan *plan, const struct fg_nodes *nodes);
/* The plan is for the pages that have these bytes. Rounds of unlike weights are long enough that a range has
 * FG_PLAN_ROUNDS_MOST of them at most, because the kernel has a mapping for each piece. */
#define FG_PLAN_ROUNDS_MOST 64
void fg_plan_range(struct fg_plan *plan, const void *start, size_t bytes);
/* The node of the page of that number, which is in the range. The plan has a part. */
unsigned fg_plan_node(const struct fg_plan *plan, uintptr_t page);

/* Gives each part whose node has no room the nearest of these nodes that has. `there`: the bytes of the range that lie
 * on each node already, or NULL. strict: no part gets another node. False: there is not room enough. It asks the
 * system, and opens files. */
bool fg_plan_fit(struct fg_plan *plan, const struct fg_nodes *nodes, const size_t *there, bool strict);
/* Tells the system, for the pages that are touched from now on. The range must be the caller's own mapping, because the
 * kernel keeps such wishes with it. */
void fg_plan_wish(const struct fg_plan *plan);
