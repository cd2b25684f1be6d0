// Evaluation of the implicit function, top down through the octree.
#include "field.h"

#include <cmath>

namespace mpu {

namespace {

struct sums {
	double weight, value;
	vec gradient;
};

void
node_add(const tree &tree, const node &node, vec place, sums &sums)
{
	vec d = place - vec{node.centre[0], node.centre[1], node.centre[2]};
	double d2 = dot(d, d);
	if (d2 > (double)node.reach * node.reach)
		return;
	if (node.octet) {
		for (const mpu::node &child : tree.octets[node.octet].child)
			node_add(tree, child, place, sums);
		return;
	}
	double inverse = 1 / (double)node.radius;
	double weight = ball_weight(std::sqrt(d2) * inverse);
	vec t = d * inverse;
	sums.weight += weight;
	sums.value += weight * node.quadric.value(t);
	sums.gradient = sums.gradient + node.quadric.gradient(t) * (weight * inverse);
}

} // namespace

field_value
field_evaluate(const tree &tree, vec place)
{
	sums sums = {};
	node_add(tree, tree.octets[0].child[0], place, sums);
	double inverse = sums.weight > 0 ? 1 / sums.weight : 0;
	return {sums.value * inverse, sums.gradient * inverse};
}

} // namespace mpu
