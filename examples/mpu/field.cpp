// Evaluation of the implicit function, top down through the octree. Fits of cells without points are extrapolations from afar. Such a fit
// counts only where no other fit does.
#include "field.h"

#include <cmath>

namespace mpu {

namespace {

struct sums {
	double weight, value;
	vec gradient;
};

void
leaf_add(const node &leaf, vec d, double weight, sums &sums)
{
	double inverse = 1 / (double)leaf.radius;
	vec t = d * inverse;
	sums.weight += weight;
	sums.value += weight * leaf.quadric.value(t);
	sums.gradient = sums.gradient + leaf.quadric.gradient(t) * (weight * inverse);
}

void
node_add(const tree &tree, const node &node, vec place, sums &sums)
{
	vec d = place - vec{node.centre[0], node.centre[1], node.centre[2]};
	double d2 = dot(d, d);
	if (node.reach < 0 || d2 > (double)node.reach * node.reach)
		return;
	if (!node.octet) {
		leaf_add(node, d, ball_weight(std::sqrt(d2) / node.radius), sums);
		return;
	}
	for (const mpu::node &child : tree.octets[node.octet].child)
		node_add(tree, child, place, sums);
}

const node &
leaf_around(const tree &tree, vec place)
{
	const node *node = &tree.octets[0].child[0];
	while (node->octet) {
		int which = (place.x >= node->centre[0]) | (place.y >= node->centre[1]) << 1 | (place.z >= node->centre[2]) << 2;
		node = &tree.octets[node->octet].child[which];
	}
	return *node;
}

} // namespace

field_value
field_evaluate(const tree &tree, vec place)
{
	sums sums = {};
	node_add(tree, tree.octets[0].child[0], place, sums);
	if (!(sums.weight > 0)) {
		const node &leaf = leaf_around(tree, place);
		leaf_add(leaf, place - vec{leaf.centre[0], leaf.centre[1], leaf.centre[2]}, 1, sums);
	}
	double inverse = 1 / sums.weight;
	return {sums.value * inverse, sums.gradient * inverse};
}

} // namespace mpu
