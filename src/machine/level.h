/* Levels: the types of the tree of levels (floor: machine; used through machine.h by all, and by the files that build a
 * machine).
 *
 * A level has no child, and is then a PU, or at least two. Levels that cover the same PUs are one level, which
 * remembers all their kinds. The root always has the kind FG_MACHINE. The tree is never changed once it is built.
 *
 * Invariants: level->first_pu = level->children[0]->first_pu;  level->n_pus = sum of the children's;
 *             machine->pus[i]->first_pu = i;  machine->levels is in depth-first order, the root first.
 *
 * Threads only read a tree that is built, anywhere and without a lock. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Outermost first. Where levels of several kinds are merged, `kind` is the first of: machine, PU, the smallest
 * number. */
enum fg_level_kind {
	FG_MACHINE,
	FG_NUMA_NODE,
	FG_PACKAGE,
	FG_DIE,
	FG_GROUP,
	FG_L3,
	FG_L2,
	FG_CORE,
	FG_PU,
	FG_LEVEL_KINDS
};

#define FG_NO_INDEX (~0u)

struct fg_level {
	enum fg_level_kind kind;
	unsigned kinds;	    /* one bit for each kind merged into this level: 1u << kind */
	unsigned os_index;  /* number the operating system gives it, or FG_NO_INDEX */
	unsigned numa_node; /* OS index of the node with the nearest memory, if that is one; else FG_NO_INDEX */
	unsigned depth;	    /* 0: the root */
	unsigned number;    /* place in machine->levels */
	unsigned rank;	    /* place among its siblings */
	struct fg_level *parent;
	struct fg_level **children;
	unsigned n_children;
	bool lacking;		  /* there was no memory for a child */
	unsigned first_pu, n_pus; /* the PUs below it: machine->pus[first_pu] ... */
	uint64_t cache_bytes;	  /* of the largest cache merged into it; 0: none or unknown */
	uint64_t memory_bytes;	  /* of its NUMA node; 0: none or unknown */
};

enum fg_machine_source { FG_FROM_AFFINITY, FG_FROM_HWLOC, FG_FROM_XML, FG_FROM_SYNTHETIC };

struct fg_machine {
	struct fg_level *root;
	struct fg_level **levels;
	unsigned n_levels;
	struct fg_level **pus; /* logical number -> level */
	unsigned n_pus;
	unsigned n_numa_nodes; /* at least 1 */
	unsigned max_depth;
	enum fg_machine_source source;
};

static inline bool
fg_level_is(const struct fg_level *level, enum fg_level_kind kind)
{
	return level->kinds >> kind & 1;
}
