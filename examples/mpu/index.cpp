// Builds the point index: it sorts by Morton key, then makes boxes over equal key prefixes, tight around their points.
#include "index.h"

#include <algorithm>
#include <cmath>

namespace mpu {

namespace {

constexpr uint32_t LEAF_POINTS = 12;

struct builder {
	point_index &index;
	const std::vector<uint64_t> &keys;

	void fill(uint32_t at, uint32_t begin, uint32_t end, int level);
};

uint64_t
morton_key(const oriented_point &p)
{
	uint64_t key = 0;
	const double c[3] = {p.x, p.y, p.z};
	for (int axis = 0; axis < 3; axis++) {
		uint32_t v = (uint32_t)std::clamp(c[axis] * (1 << INDEX_LEVELS), 0.0, (1 << INDEX_LEVELS) - 1.0);
		for (int bit = 0; bit < INDEX_LEVELS; bit++)
			key |= (uint64_t)(v >> bit & 1) << (3 * bit + axis);
	}
	return key;
}

void
builder::fill(uint32_t at, uint32_t begin, uint32_t end, int level)
{
	index_box box = {{2, 2, 2}, {-2, -2, -2}, begin, end, 0, 0};
	for (uint32_t i = begin; i < end; i++) {
		const float c[3] = {index.points[i].x, index.points[i].y, index.points[i].z};
		for (int k = 0; k < 3; k++) {
			box.low[k] = std::min(box.low[k], c[k]);
			box.high[k] = std::max(box.high[k], c[k]);
		}
	}
	uint32_t bounds[9] = {begin};
	int shift = 3 * (INDEX_LEVELS - 1 - level);
	if (end - begin > LEAF_POINTS && level < INDEX_LEVELS) {
		uint32_t from = begin;
		while (from < end) {
			uint64_t digit = keys[from] >> shift;
			from = (uint32_t)(std::upper_bound(keys.begin() + from, keys.begin() + end, digit,
						  [shift](uint64_t d, uint64_t key) { return d < key >> shift; }) -
				keys.begin());
			bounds[++box.children] = from;
		}
		box.child = (uint32_t)index.boxes.size();
		index.boxes.resize(index.boxes.size() + box.children);
	}
	index.boxes[at] = box;
	for (uint32_t i = 0; i < box.children; i++)
		fill(box.child + i, bounds[i], bounds[i + 1], level + 1);
}

} // namespace

point_index
index_build(const cloud &cloud)
{
	const auto &from = cloud.points;
	double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
	for (const oriented_point &p : from) {
		const float c[3] = {p.x, p.y, p.z};
		for (int k = 0; k < 3; k++) {
			low[k] = std::min<double>(low[k], c[k]);
			high[k] = std::max<double>(high[k], c[k]);
		}
	}
	point_index index = {};
	const double margin = 0.02;
	double extent = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
	if (!(extent > 0) || !std::isfinite(extent))
		fail("all points are at one place; there is no surface to rebuild");
	index.size = extent * (1 + 2 * margin);
	index.origin = vec{low[0] + high[0], low[1] + high[1], low[2] + high[2]} * 0.5 - vec{1, 1, 1} * (index.size / 2);

	std::vector<std::pair<uint64_t, uint32_t>> order(from.size());
	std::vector<oriented_point> scaled(from);
	for (size_t i = 0; i < from.size(); i++) {
		vec p = (vec{from[i].x, from[i].y, from[i].z} - index.origin) * (1 / index.size);
		scaled[i].x = (float)p.x;
		scaled[i].y = (float)p.y;
		scaled[i].z = (float)p.z;
		order[i] = {morton_key(scaled[i]), (uint32_t)i};
	}
	std::sort(order.begin(), order.end());
	std::vector<uint64_t> keys(from.size());
	index.points.resize(from.size());
	for (size_t i = 0; i < order.size(); i++) {
		keys[i] = order[i].first;
		index.points[i] = scaled[order[i].second];
	}
	index.boxes.resize(1);
	builder{index, keys}.fill(0, 0, (uint32_t)keys.size(), 0);
	return index;
}

} // namespace mpu
