/* Where memory lies: the kernel's memory policies by its own system calls (floor: platform; used by memory/where.c, and
 * through its table by team/alloc/pages.c). No library is needed. Where something cannot be had (one node, no such
 * kernel, a sandbox that forbids it), memory stays where the system puts it.
 *
 * All are system calls, without a lock of the C library, and nothing is kept but which nodes have CPUs. So any
 * lock of the runtime may be held. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define FG_NODES_MAX 1024 /* as many as the kernel can be built for */

/* A set of nodes, laid out as the kernel wants it. */
struct fg_nodes {
	unsigned long bits[FG_NODES_MAX / (8 * sizeof(unsigned long))];
};

#define FG_NODES_WORD (8 * sizeof(unsigned long)) /* bits */

static inline bool
fg_nodes_has(const struct fg_nodes *nodes, unsigned node)
{
	return node < FG_NODES_MAX && nodes->bits[node / FG_NODES_WORD] >> node % FG_NODES_WORD & 1;
}
static inline void
fg_nodes_add(struct fg_nodes *nodes, unsigned node)
{
	if (node < FG_NODES_MAX)
		nodes->bits[node / FG_NODES_WORD] |= 1ul << node % FG_NODES_WORD;
}
unsigned fg_nodes_count(const struct fg_nodes *nodes);
/* The lowest member that is at least `from`, or FG_NODES_MAX. */
unsigned fg_nodes_next(const struct fg_nodes *nodes, unsigned from);

/* The nodes with memory that the calling kernel thread may use: by its control group, and by a policy such as that of
 * numactl --membind or --interleave. False: unknown; the set is then empty. */
bool fg_numa_allowed(struct fg_nodes *nodes);
/* The nodes that have CPUs, as the system told the first caller. Others may be slow, or another device's. False:
 * unknown; the set is then empty. */
bool fg_numa_with_pus(struct fg_nodes *nodes);
/* The node with the memory nearest to the caller's CPU, as far as the CPU tells it. It need not be allowed. */
unsigned fg_numa_here(void);

/* For the pages of a range that are touched from now on: they lie page by page round the nodes; */
void fg_numa_interleave(void *start, size_t size, const struct fg_nodes *nodes);
/* on one node, while it has memory; */
void fg_numa_prefer(void *start, size_t size, unsigned node);
/* on the one of these nodes that is nearest to the caller, found by touching the first page. */
void fg_numa_nearest(void *start, size_t size, const struct fg_nodes *nodes);

/* The number of nodes that the machine may have, numbered from 0. At least 1. */
unsigned fg_numa_nodes(void);
/* The node of each page of the calling process; below 0: it was not touched yet, or does not exist. false: the kernel
 * does not say. */
bool fg_numa_where(unsigned n, void *const *pages, int *node);
/* There is a mapping at each page that has bytes of the range, or a sandbox forbids to look. */
bool fg_numa_is_mapped(const void *start, size_t size);
/* Moves pages of the calling process, each to the node beside it, and tells where it is then, as above. Huge pages move
 * as a whole. Pages that others map too stay. false: the system moves none. */
bool fg_numa_move(unsigned n, void *const *pages, const int *to, int *node);
/* Neither the pages around this one nor the calling kernel thread have a memory policy. */
bool fg_numa_unbound(const void *page);

/* The bytes that the node still has, without a part that the kernel keeps for itself. with_cache: clean pages of files
 * count too, because the kernel drops them where it must. SIZE_MAX: the kernel does not say. Limits of control
 * groups are not looked at. */
size_t fg_numa_room(unsigned node, bool with_cache);
/* The time of an access from one node to another as the firmware tells it, where 10 is the time of a local one. 0: not
 * known. */
unsigned fg_numa_distance(unsigned from, unsigned to);
