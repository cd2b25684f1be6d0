// Memory, cutting and summing up of the octree.
#include "tree.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sys/mman.h>

namespace mpu {

void
tree_create(tree &tree, size_t points)
{
	tree.capacity = (uint32_t)std::min<size_t>(4096 + 4 * points, 8 << 20);
	size_t bytes = (size_t)tree.capacity * sizeof(octet);
	void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		fail("no room for an octree over %zu points (%zu MiB of address space)", points, bytes >> 20);
	madvise(memory, bytes, MADV_HUGEPAGE);
	tree.octets = static_cast<octet *>(memory);
	tree_clear(tree);
}

void
tree_clear(tree &tree)
{
	node &root = tree_root(tree);
	root = {};
	for (float &c : root.centre)
		c = 0.5f;
	root.half = 0.5f;
	tree.used.store(1, std::memory_order_relaxed);
}

bool
node_fit(node &node, const point_index &index, const fit_params &params, ball_visit_count &work)
{
	fit_result fit = cell_fit(index, params, {node.centre[0], node.centre[1], node.centre[2]}, node.half, node.level);
	node.quadric = fit.quadric;
	node.radius = (float)fit.radius;
	node.count = fit.count;
	node.kind = fit.kind;
	work = fit.work;
	return fit.split;
}

octet &
node_cut(tree &tree, node &node)
{
	uint32_t at = tree.used.fetch_add(1, std::memory_order_relaxed);
	if (at >= tree.capacity)
		fail("more than %u cells were cut; a larger --tolerance or a smaller --depth is needed", tree.capacity);
	octet &octet = tree.octets[at];
	float half = node.half / 2;
	for (int i = 0; i < 8; i++) {
		mpu::node &child = octet.child[i];
		for (int k = 0; k < 3; k++)
			child.centre[k] = node.centre[k] + (i >> k & 1 ? half : -half);
		child.half = half;
		child.octet = 0;
		child.level = (uint8_t)(node.level + 1);
		child.team = 0;
	}
	node.octet = at;
	return octet;
}

static void
checksum_add(uint64_t &checksum, uint64_t word)
{
	checksum = (checksum ^ word) * 0x100000001b3;
	checksum ^= checksum >> 32;
}

static void
node_finish(tree &tree, node &node, tree_summary &summary)
{
	summary.nodes++;
	for (double q : node.quadric.q) {
		uint64_t bits;
		std::memcpy(&bits, &q, sizeof bits);
		checksum_add(summary.checksum, bits);
	}
	uint32_t radius;
	std::memcpy(&radius, &node.radius, sizeof radius);
	checksum_add(summary.checksum, (uint64_t)radius << 32 | node.count);
	checksum_add(summary.checksum, (uint64_t)node.level << 16 | (uint64_t)node.kind << 8 | (node.octet != 0));
	node.reach = node.octet || !node.count ? -1 : node.radius;
	if (!node.octet)
		return;
	summary.regions++;
	summary.threads += node.team;
	for (mpu::node &child : tree.octets[node.octet].child) {
		node_finish(tree, child, summary);
		if (child.reach >= 0)
			node.reach = std::max(node.reach, child.reach + (float)(child.half * 1.7320509));
	}
}

tree_summary
tree_finish(tree &tree)
{
	tree_summary summary = {0, 0, 1, 0xcbf29ce484222325};
	node_finish(tree, tree_root(tree), summary);
	return summary;
}

} // namespace mpu
