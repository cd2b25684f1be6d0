/* Where pages lie and where they should lie: the questions about memory to the system, and the table of functions that
 * answer them (floor: memory; called by area.c, plan.c, and by team/alloc; sim/homes.c fills the table in).
 *
 * Measures and places are system calls, which neither allocate nor lock. The table is chosen before it is asked.
 * Nothing is kept. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/numa.h"

enum fg_where_mark { FG_MARK_NONE, FG_MARK_NEXT_TOUCH, FG_MARK_NEXT_WRITE };

/* The kernel answers. A simulated machine, or a test, may put a table of its own here before the first question. */
struct fg_where {
	unsigned (*nodes)(void); /* how many; they are numbered from 0, as the operating system does */
	/* The node of each page; below 0: nothing is there yet. false: it cannot be known. */
	bool (*ask)(unsigned n, void *const *pages, int *node);
	/* Nodes with memory to be had, and wishes for the pages of a range that are touched from now on
	 * (platform/numa.h). */
	bool (*allowed)(struct fg_nodes *nodes);
	void (*interleave)(void *start, size_t size, const struct fg_nodes *nodes);
	void (*prefer)(void *start, size_t size, unsigned node);
	void (*nearest)(void *start, size_t size, const struct fg_nodes *nodes);
	unsigned (*here)(void);
	/* Nodes that have PUs. NULL: all have. */
	bool (*with_pus)(struct fg_nodes *nodes);
	/* Moves each page to the node beside it, and tells as `ask` where it is then. Pages that others map too, or
	 * that the kernel holds, stay. false: no page may be moved. NULL: none can. */
	bool (*move)(unsigned n, void *const *pages, const int *to, int *node);
	/* Nobody has told the system where pages such as this one should lie. NULL: as always. */
	bool (*unbound)(const void *page);
	/* The pages that are there go to the node of the next thread that touches them, or writes to them, by windows.
	 * NULL: memory/windows.h does it. */
	void (*mark)(void *start, size_t size, enum fg_where_mark mark);
	/* The pages are given back. NULL: the table has no need to know. */
	void (*gone)(void *start, size_t size);
	/* What a node still has, and the time of an access (platform/numa.h). NULL: it cannot be known. */
	size_t (*room)(unsigned node, bool with_cache);
	unsigned (*distance)(unsigned from, unsigned to);
};
extern const struct fg_where *fg_where;

/* Adds up the bytes of a range by node. Pages that were not touched yet count to none. The sum is exact up to
 * FG_WHERE_SAMPLES pages. Of more pages it asks for as many, spread over the range by chance, so that no regular
 * pattern can hide. false: not known. */
#define FG_WHERE_SAMPLES 256
bool fg_where_measure(uintptr_t start, uintptr_t end, size_t *on_node, unsigned n_nodes);

/* The nodes for memory that nobody wants on others: those that are allowed and have PUs. If none has, all that are
 * allowed. false: it cannot be known. */
bool fg_where_usual(struct fg_nodes *nodes);

/* The entries of these names; SIZE_MAX and 0 where the table has none. */
size_t fg_where_room(unsigned node, bool with_cache);
unsigned fg_where_distance(unsigned from, unsigned to);
