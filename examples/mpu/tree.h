// The octree of fits. Nodes come eight at a time from one reserved stretch of memory, so the refinement never calls the allocator.
// refine.cpp builds it, field.cpp evaluates it, mesh.cpp walks it.
#pragma once

#include <atomic>

#include "fit.h"

namespace mpu {

struct alignas(64) node {
	struct quadric quadric;
	float centre[3], half; // exact, because they are multiples of powers of two
	float radius;
	float reach; // fits of cells with points, here or below, count only so far from the centre; -1: none does. tree_finish sets it
	uint32_t count; // points in the cell's own ball
	uint32_t octet; // its eight children; 0 if it is a leaf
	uint8_t level;
	fit_kind kind;
	uint16_t team; // size of the team that refined the children
};

struct octet {
	node child[8];
};

struct tree {
	octet *octets; // octets[0].child[0] is the root
	uint32_t capacity;
	alignas(64) std::atomic<uint32_t> used; // octets
};

struct tree_summary {
	uint64_t nodes, regions, threads; // regions: nodes that were cut; threads: 1 and the sizes of all teams
	uint64_t checksum; // over every node's bits, parents first, children in order
};

void tree_create(tree &tree, size_t points);

// Leaves only a root that is not fitted yet.
void tree_clear(tree &tree);

inline node &
tree_root(tree &tree)
{
	return tree.octets[0].child[0];
}

// Fits one node. Returns true if it must be cut.
bool node_fit(node &node, const point_index &index, const fit_params &params, ball_visit_count &work);

// Cuts a node. Returns its eight children, placed but not fitted.
octet &node_cut(tree &tree, node &node);

// Sets every node's reach, and adds up the totals.
tree_summary tree_finish(tree &tree);

} // namespace mpu
