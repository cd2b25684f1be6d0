// The refinement in its variants, and its division into shares for the ideal.
#include "refine.h"

#include <algorithm>
#include <numeric>

#include <omp.h>

namespace mpu {

static void
node_refine(refiner &r, node &node, uint64_t &work)
{
	ball_visit_count count;
	bool cut = node_fit(node, r.index, r.params, count);
	work += 20 + count.boxes + count.points;
	if (!cut)
		return;
	for (mpu::node &child : node_cut(r.tree, node).child)
		node_refine(r, child, work);
}

void
refine_serial(refiner &r)
{
	uint64_t work = 0;
	node_refine(r, tree_root(r.tree), work);
}

// The paper's figure 4 has one pragma more than the serial program.
static void
node_refine_nested(refiner &r, node &node)
{
	ball_visit_count count;
	if (!node_fit(node, r.index, r.params, count))
		return;
	octet &octet = node_cut(r.tree, node);
#pragma omp parallel for num_threads(r.team) schedule(dynamic, 1)
	for (int i = 0; i < 8; i++) {
		if (i == 0)
			node.team = (uint16_t)omp_get_num_threads();
		node_refine_nested(r, octet.child[i]);
	}
}

void
refine_nested(refiner &r)
{
	node_refine_nested(r, tree_root(r.tree));
}

// There is no taskwait, because the end of the region waits for all of them.
static void
node_refine_tasks(refiner &r, node &node)
{
	ball_visit_count count;
	if (!node_fit(node, r.index, r.params, count))
		return;
	octet &octet = node_cut(r.tree, node);
	for (int i = 0; i < 8; i++) {
#pragma omp task firstprivate(i) shared(r, octet) untied
		node_refine_tasks(r, octet.child[i]);
	}
}

void
refine_tasks(refiner &r)
{
#pragma omp parallel num_threads(r.threads)
#pragma omp single
	node_refine_tasks(r, tree_root(r.tree));
}

// At this level, subtrees are dealt out whole. Nodes above it are dealt out one by one.
static const int DEAL_LEVEL = 4;

struct deal_item {
	uint64_t work;
	struct node node;
	bool lone;
};

static void
node_deal(refiner &r, node &node, std::vector<deal_item> &items)
{
	deal_item item = {0, node, node.level < DEAL_LEVEL};
	if (!item.lone) {
		node_refine(r, node, item.work);
		items.push_back(item);
		return;
	}
	ball_visit_count count;
	bool cut = node_fit(node, r.index, r.params, count);
	item.work = 20 + count.boxes + count.points;
	items.push_back(item);
	if (!cut)
		return;
	for (mpu::node &child : node_cut(r.tree, node).child)
		node_deal(r, child, items);
}

std::vector<share>
refine_deal(refiner &r, int n)
{
	std::vector<deal_item> items;
	node_deal(r, tree_root(r.tree), items);
	std::vector<size_t> order(items.size());
	std::iota(order.begin(), order.end(), 0);
	std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return items[a].work > items[b].work; });
	std::vector<uint64_t> load((size_t)n);
	std::vector<size_t> owner(items.size());
	for (size_t i : order) { // the largest first, to the share with the least work
		size_t least = (size_t)(std::min_element(load.begin(), load.end()) - load.begin());
		load[least] += items[i].work;
		owner[i] = least;
	}
	std::vector<share> shares((size_t)n);
	for (size_t i = 0; i < items.size(); i++)
		(items[i].lone ? shares[owner[i]].lone : shares[owner[i]].subtrees).push_back(items[i].node);
	return shares;
}

void
refine_share(refiner &r, const share &share)
{
	uint64_t work = 0;
	ball_visit_count count;
	for (node lone : share.lone)
		node_fit(lone, r.index, r.params, count);
	node *row = nullptr;
	int at = 0;
	for (const node &subtree : share.subtrees) {
		if (at++ % 8 == 0)
			row = r.tree.octets[r.tree.used.fetch_add(1, std::memory_order_relaxed)].child;
		*row = subtree;
		node_refine(r, *row++, work);
	}
}

} // namespace mpu
