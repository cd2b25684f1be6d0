// The point index: the cloud scaled into the unit cube and permuted along the Morton curve, under a tree of boxes over ranges of it.
// main.cpp builds it once before any clock runs, and fit.cpp reads it. It never changes afterwards, so readers share it without locks.
#pragma once

#include "cloud.h"

namespace mpu {

struct index_box {
	float low[3], high[3];
	uint32_t begin, end; // range of points
	uint32_t child, children; // 0 children: a leaf
};

struct point_index {
	std::vector<oriented_point> points;
	std::vector<index_box> boxes; // boxes[0] is the root
	vec origin; // point = origin + unit cube position * size
	double size;
};

point_index index_build(const cloud &cloud);

constexpr int INDEX_LEVELS = 16;

struct ball_visit_count {
	uint32_t boxes, points; // how many were looked at: a measure of the work
};

// Calls range(begin, end) for ranges of points, in the order of the index. Together they are the points within the ball.
template <typename F>
void
ball_visit(const point_index &index, vec centre, double radius, ball_visit_count &count, F range)
{
	uint32_t stack[8 * (INDEX_LEVELS + 1)];
	int depth = 0;
	double r2 = radius * radius;
	stack[depth++] = 0;
	while (depth) {
		const index_box &box = index.boxes[stack[--depth]];
		const double c[3] = {centre.x, centre.y, centre.z};
		double nearest = 0, farthest = 0;
		for (int k = 0; k < 3; k++) {
			double below = box.low[k] - c[k], above = c[k] - box.high[k];
			double out = below > above ? below : above, in = below < above ? below : above;
			nearest += out > 0 ? out * out : 0;
			farthest += in * in;
		}
		count.boxes++;
		if (nearest > r2)
			continue;
		if (farthest <= r2) {
			range(box.begin, box.end);
		} else if (box.children) {
			for (uint32_t i = box.children; i-- > 0;)
				stack[depth++] = box.child + i;
		} else {
			count.points += box.end - box.begin;
			for (uint32_t i = box.begin; i < box.end; i++) {
				const oriented_point &p = index.points[i];
				double x = p.x - centre.x, y = p.y - centre.y, z = p.z - centre.z;
				if (x * x + y * y + z * z <= r2)
					range(i, i + 1);
			}
		}
	}
}

} // namespace mpu
