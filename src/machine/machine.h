/* Machine: the tree of levels, from the whole machine down to the PUs (floor: machine; used by exec, sim, draw and the
 * command). exec hangs a runqueue on each level, and gives each worker a PU. level.h has the types, with their
 * invariants. Machines are made and freed outside the runtime, without a lock. In between any thread may read one. */
#pragma once
#include "machine/cpuset.h"
#include "machine/level.h"
#include <stdio.h>

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
/* One of the last two, as the text is. */
struct fg_machine *fg_machine_told(const char *topology, const char **why);
/* A first look at a FGOMP_TOPOLOGY that is not empty. False: it cannot tell a machine, and one line says so. What a
 * file tells is seen when that is read. */
bool fg_machine_check(const char *topology);
void fg_machine_free(struct fg_machine *machine);

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
