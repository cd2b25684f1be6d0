// The octree of a surface reconstruction, by the real fits of examples/mpu. A file for mpu_walk gets the computing of
// each fit, and the points and boxes of the index that the fit goes through.
//
//   mpu_tree POINTS TOLERANCE FILE
//
// The cloud lies on a closed surface: a ball with some hundred bumps. Broad ones are all over it, and ever finer ones
// towards one side.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../../examples/mpu/tree.h"
#include "mpu_file.h"

using namespace mpu;

namespace {

constexpr uint32_t SAMPLES = 384, DEPTH = 12; // SAMPLES: as in fit.cpp

struct bump {
	vec towards;
	double height, narrow;
};

vec
direction(double turn, double z)
{
	double r = std::sqrt(1 - z * z);
	return {r * std::cos(turn), r * std::sin(turn), z};
}

std::vector<bump>
bumps_make()
{
	std::vector<bump> bumps;
	uint64_t seed = 1;
	auto random = [&seed] {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		return (double)(seed >> 33) / (double)(1u << 31);
	};
	for (int i = 0; i < 96; i++) {
		double fine = i / 95.0;
		double lowest = -1 + 1.8 * fine;
		vec towards = direction(6.283185307179586 * random(), lowest + (0.999 - lowest) * random());
		bumps.push_back({towards, 0.1 * std::exp(-2.5 * fine), 6 * std::exp(7 * fine)});
	}
	return bumps;
}

// Returns the distance of the surface from the middle, towards d.
double
surface(const std::vector<bump> &bumps, vec d)
{
	double r = 1;
	for (const bump &b : bumps)
		r += b.height * std::exp(b.narrow * (dot(b.towards, d) - 1));
	return r;
}

cloud
cloud_make(uint32_t points)
{
	const std::vector<bump> bumps = bumps_make();
	cloud cloud;
	for (uint32_t i = 0; i < points; i++) {
		double z = 1 - (2.0 * i + 1) / points, turn = 2.399963229728653 * i; // a spiral, evenly dense
		vec d = direction(turn, z), east = unit(cross(std::fabs(z) < 0.9 ? vec{0, 0, 1} : vec{1, 0, 0}, d)),
		    north = cross(d, east);
		const double step = 1e-5;
		double r = surface(bumps, d);
		double slope_east = (surface(bumps, unit(d + east * step)) - r) / step;
		double slope_north = (surface(bumps, unit(d + north * step)) - r) / step;
		vec n = unit(d * r - east * slope_east - north * slope_north), p = d * r;
		cloud.points.push_back({(float)p.x, (float)p.y, (float)p.z, (float)n.x, (float)n.y, (float)n.z});
	}
	return cloud;
}

// Floating-point operations, counted in the sources of fit.cpp and index.h: of a box, a point tested, a point taken; of
// a point in the normal equations of both kinds; of its distance; of a solution.
enum flops {
	BOX = 21,
	TEST = 8,
	TAKE = 34,
	BIVARIATE = 83,
	QUADRIC = 218,
	DISTANCE = 51,
	BIVARIATE_SOLVE = 160,
	QUADRIC_SOLVE = 560
};

struct recorder {
	point_index index;
	fit_params params;
	std::vector<walk_node> nodes;
	std::vector<walk_range> ranges;

	void range_add(uint32_t begin, uint32_t end, size_t first);
	void visit(vec centre, double radius, std::vector<uint32_t> &boxes, std::vector<walk_range> &looked);
	void node_record(uint32_t at, vec centre, double half, int level);
};

// A range that follows the last one, or leaves out less than a line of cache or two, is joined to it. `first` is where
// this list begins.
void
recorder::range_add(uint32_t begin, uint32_t end, size_t first)
{
	if (ranges.size() > first && begin >= ranges.back().end && begin - ranges.back().end <= 2)
		ranges.back().end = end;
	else if (begin < end)
		ranges.push_back({begin, end});
}

// Goes as ball_visit does, and notes the boxes and the points that it looks at.
void
recorder::visit(vec centre, double radius, std::vector<uint32_t> &boxes, std::vector<walk_range> &looked)
{
	std::vector<uint32_t> stack = {0};
	while (!stack.empty()) {
		const index_box &box = index.boxes[stack.back()];
		boxes.push_back(stack.back());
		stack.pop_back();
		const double c[3] = {centre.x, centre.y, centre.z};
		double nearest = 0, farthest = 0;
		for (int k = 0; k < 3; k++) {
			double below = box.low[k] - c[k], above = c[k] - box.high[k];
			double out = std::fmax(std::fmax(below, above), 0), in = std::fmin(below, above);
			nearest += out * out;
			farthest += in * in;
		}
		if (nearest > radius * radius)
			continue;
		if (farthest <= radius * radius || !box.children)
			looked.push_back({box.begin, box.end});
		else
			for (uint32_t i = box.children; i-- > 0;)
				stack.push_back(box.child + i);
	}
}

void
recorder::node_record(uint32_t at, vec centre, double half, int level)
{
	fit_result fit = cell_fit(index, params, centre, half, level);
	std::vector<uint32_t> points;
	ball_visit_count looked = {0, 0};
	ball_visit(index, centre, fit.radius, looked, [&](uint32_t begin, uint32_t end) {
		for (uint32_t i = begin; i < end; i++)
			points.push_back(i);
	});
	auto good = [&](uint32_t i) {
		const oriented_point &p = index.points[i];
		vec t = (vec{p.x, p.y, p.z} - centre) * (1 / fit.radius), g = fit.quadric.gradient(t);
		double value = fit.quadric.value(t), slope2 = dot(g, g);
		return value * value <= params.tolerance * params.tolerance * slope2 / (fit.radius * fit.radius);
	};
	// Counts the points taken, and those of them that are checked. If there are more points than samples, it also
	// counts those that are checked after that.
	uint32_t n = (uint32_t)points.size(), stride = (n + SAMPLES - 1) / SAMPLES, taken = 0, checked = 0;
	bool holds = level < params.max_level;
	walk_node node = {0, 0, (uint32_t)ranges.size(), 0, 0, 0};
	size_t first = ranges.size();
	std::vector<uint32_t> boxes;
	std::vector<walk_range> tested;
	visit(centre, fit.radius, boxes, tested);
	for (uint32_t i = 0; n > SAMPLES && i < SAMPLES; i++)
		range_add(points[i], points[i] + 1, first);
	for (const walk_range &range : tested)
		if (n <= SAMPLES)
			range_add(range.begin, range.end, first);
	first = ranges.size();
	for (uint32_t i = 0; i < n; i += stride, taken++) {
		if (n > SAMPLES)
			range_add(points[i], points[i] + 1, first);
		checked += holds;
		holds = holds && good(points[i]);
	}
	first = ranges.size();
	for (uint32_t i = 0; n > SAMPLES && holds && i < n; i++) {
		range_add(points[i], points[i] + 1, first);
		checked++;
		holds = good(points[i]);
	}
	node.boxes = (uint32_t)ranges.size();
	std::sort(boxes.begin(), boxes.end());
	for (uint32_t box : boxes)
		range_add(box, box + 1, node.boxes);
	node.end = (uint32_t)ranges.size();
	bool quadric = fit.kind == FIT_QUADRIC;
	double flops = (double)fit.work.boxes * BOX + (double)fit.work.points * TEST +
		       (double)taken * (TAKE + (quadric ? QUADRIC : BIVARIATE)) + (double)checked * DISTANCE +
		       (quadric ? QUADRIC_SOLVE : BIVARIATE_SOLVE);
	node.flops = (uint32_t)flops;
	if (fit.split) {
		node.children = (uint32_t)nodes.size();
		nodes.resize(nodes.size() + 8);
	}
	nodes[at] = node;
	for (int i = 0; fit.split && i < 8; i++) {
		vec corner = {i & 1 ? half / 2 : -half / 2, i & 2 ? half / 2 : -half / 2, i & 4 ? half / 2 : -half / 2};
		node_record(nodes[at].children + (uint32_t)i, centre + corner, half / 2, level + 1);
	}
}

template <typename T>
bool
list_write(FILE *file, const std::vector<T> &list)
{
	return std::fwrite(list.data(), sizeof(T), list.size(), file) == list.size();
}

} // namespace

int
main(int argc, char **argv)
{
	long points = argc == 4 ? std::atol(argv[1]) : 0;
	double tolerance = argc == 4 ? std::atof(argv[2]) : 0;
	if (points < 1000 || points > 10000000 || !(tolerance >= 1e-6 && tolerance <= 0.1)) {
		std::fprintf(stderr, "mpu_tree: usage: mpu_tree POINTS TOLERANCE FILE, 1000 to 10000000 points, "
				     "tolerance from 1e-6 to 0.1; nothing was written\n");
		return 2;
	}
	recorder recorder = {index_build(cloud_make((uint32_t)points)), {tolerance, DEPTH}, {}, {}};
	recorder.nodes.resize(1);
	recorder.node_record(0, {0.5, 0.5, 0.5}, 0.5, 0);
	walk_head head = {WALK_MAGIC, (uint32_t)recorder.index.points.size(), (uint32_t)recorder.index.boxes.size(),
		(uint32_t)recorder.nodes.size(), (uint32_t)recorder.ranges.size()};
	FILE *file = std::fopen(argv[3], "wb");
	if (!file || std::fwrite(&head, sizeof head, 1, file) != 1 || !list_write(file, recorder.nodes) ||
		!list_write(file, recorder.ranges) || std::fclose(file) != 0) {
		std::fprintf(stderr, "mpu_tree: cannot write %s\n", argv[3]);
		return 1;
	}
	size_t split = 0;
	for (const walk_node &node : recorder.nodes)
		split += node.children != 0;
	std::printf("points %u, boxes %u, nodes %u, cut %zu, ranges %u\n", head.points, head.boxes, head.nodes, split,
		    head.ranges);
	return 0;
}
