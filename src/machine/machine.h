/* Machine: the tree of levels, from the whole machine down to the PUs (floor: machine; used by exec, sim, draw and the
 * command). exec hangs a runqueue on each level, and gives each worker a PU.
 *
 * A level has no child, and is then a PU, or at least two. Levels that cover the same PUs are one level, which
 * remembers all their kinds. The root always has the kind FG_MACHINE. The tree is never changed once it is built.
 *
 * Invariants: level->first_pu = level->children[0]->first_pu;  level->n_pus = sum of the children's;
 *             machine->pus[i]->first_pu = i;  machine->levels is in depth-first order, the root first. */
#pragma once
#include "machine/cpuset.h"
#include <stdio.h>

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

/* The root and one PU for each member of `allowed`: all that a flat region needs, at no cost. NULL: there is no
 * memory. */
struct fg_machine *fg_machine_flat(const struct fg_cpuset *allowed);
/* The machine's own tree, cut down to `allowed`. NULL: no hwloc, and *why says so. */
struct fg_machine *fg_machine_hwloc(const struct fg_cpuset *allowed, const char **why);
/* A machine saved by `lstopo FILE.xml`. */
struct fg_machine *fg_machine_xml(const char *path, const char **why);
/* "node:4 l3:1 core:4 pu:1": four nodes of one L3 of four cores of one PU each. */
struct fg_machine *fg_machine_synthetic(const char *text, const char **why);
/* Any of the above: `topology` is FGOMP_TOPOLOGY (empty or NULL: this machine's own tree). If that cannot be had, one
 * line says so and the flat machine replaces it. NULL: there is no memory. */
struct fg_machine *fg_machine_load(const char *topology, const struct fg_cpuset *allowed);
void fg_machine_free(struct fg_machine *machine);

static inline bool
fg_level_is(const struct fg_level *level, enum fg_level_kind kind)
{
	return level->kinds >> kind & 1;
}

/* The smallest level that contains both. */
struct fg_level *fg_level_common(struct fg_level *a, struct fg_level *b);
/* Levels to climb from the deeper of the two PUs until the other lies below: 0 for the same PU. */
unsigned fg_machine_distance(const struct fg_machine *machine, unsigned pu_a, unsigned pu_b);
/* The innermost level of a kind above (or at) a level; NULL: none. */
struct fg_level *fg_level_above(struct fg_level *level, enum fg_level_kind kind);
/* OS numbers of the PUs below a level. */
void fg_level_cpuset(const struct fg_machine *machine, const struct fg_level *level, struct fg_cpuset *set);

const char *fg_level_kind_name(enum fg_level_kind kind);
/* "NUMA node 2", "machine". Returns `text`. */
char *fg_level_name(const struct fg_level *level, char *text, size_t size);
void fg_machine_print(const struct fg_machine *machine, FILE *file);

/* For the files that build a machine (machine.c, hwloc.c, synthetic.c): they grow a tree, then turn it into a machine,
 * which owns it. Without memory for a level the function returns its parent, or NULL for a root, and no machine comes
 * of it. */
struct fg_level *fg_level_new(struct fg_level *parent, enum fg_level_kind kind, unsigned os_index);
void fg_level_free(struct fg_level *level);
/* Merges levels with a single child and numbers the rest. NULL: no PU, or no memory; the tree is freed. */
struct fg_machine *fg_machine_build(struct fg_level *root, enum fg_machine_source source);
