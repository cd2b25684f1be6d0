// Marching cubes by layers of the grid, which run in parallel. The order of vertices and triangles is that of the grid.
#include "mesh.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "progress.h"

namespace mpu {

namespace {

struct layer {
	std::vector<uint32_t> edges; // the edges that the surface cuts, ascending: (y * side + x) * 3 + axis
	std::vector<mesh_vertex> vertices;
	std::vector<std::array<uint32_t, 3>> triangles;
	uint32_t base; // number of its first vertex
};

struct grid {
	const struct tree &tree;
	const point_index &index;
	int cells, side; // side = cells + 1 corners
	std::vector<float> value; // NAN far from the points
	std::vector<layer> layers;

	size_t
	corner(int x, int y, int z) const
	{
		return ((size_t)z * side + y) * side + x;
	}
	vec
	place(int x, int y, int z) const
	{
		return vec{(double)x, (double)y, (double)z} * (1.0 / cells);
	}

	void mark();
	void evaluate(int z);
	void cut_edges(int z);
	void connect(int z);
	uint32_t vertex(int x, int y, int z, int axis) const;
};

// Estimates how far apart neighbouring points are. Within this radius nine of ten points have eight others. It doubles at each try.
double
points_spacing(const point_index &index)
{
	std::vector<double> radii;
	ball_visit_count count;
	for (size_t i = 0; i < index.points.size(); i += index.points.size() / 256 + 1) {
		vec p = {index.points[i].x, index.points[i].y, index.points[i].z};
		uint32_t found = 0;
		double radius = 1e-4;
		for (; found < 8; radius *= 1.25) {
			found = 0;
			ball_visit(index, p, radius, count, [&](uint32_t begin, uint32_t end) { found += end - begin; });
		}
		radii.push_back(radius);
	}
	std::sort(radii.begin(), radii.end());
	return radii[radii.size() * 9 / 10];
}

// Marks the corners near a point, because a fit's second sheet would appear as a ghost where no data are. The surface leaves the box of the
// points by at most a cell. So a scan that ends in the middle of the body ends in a straight cut.
void
grid::mark()
{
	double near = std::max(2.5 / cells, 1.5 * points_spacing(index));
	const index_box &box = index.boxes[0];
	for (const oriented_point &p : index.points) {
		const float at[3] = {p.x, p.y, p.z};
		int low[3], high[3];
		for (int k = 0; k < 3; k++) {
			double lowest = std::floor(box.low[k] * cells) - 1, highest = std::ceil(box.high[k] * cells) + 1;
			low[k] = (int)std::max({0.0, lowest, std::ceil((at[k] - near) * cells)});
			high[k] = (int)std::min({(double)cells, highest, std::floor((at[k] + near) * cells)});
		}
		for (int z = low[2]; z <= high[2]; z++)
			for (int y = low[1]; y <= high[1]; y++)
				for (int x = low[0]; x <= high[0]; x++) {
					vec d = place(x, y, z) - vec{at[0], at[1], at[2]};
					if (dot(d, d) <= near * near)
						value[corner(x, y, z)] = 0;
				}
	}
}

void
grid::evaluate(int z)
{
	for (int y = 0; y < side; y++)
		for (int x = 0; x < side; x++) {
			float &v = value[corner(x, y, z)];
			if (!std::isnan(v))
				v = (float)field_evaluate(tree, place(x, y, z)).value;
		}
}

void
grid::cut_edges(int z)
{
	layer &layer = layers[(size_t)z];
	for (int y = 0; y < side; y++)
		for (int x = 0; x < side; x++)
			for (int axis = 0; axis < 3; axis++) {
				int x1 = x + (axis == 0), y1 = y + (axis == 1), z1 = z + (axis == 2);
				if (x1 == side || y1 == side || z1 == side)
					continue;
				double a = value[corner(x, y, z)], b = value[corner(x1, y1, z1)];
				if (std::isnan(a) || std::isnan(b) || (a < 0) == (b < 0))
					continue;
				vec from = place(x, y, z), to = place(x1, y1, z1);
				double low = 0, high = 1, t = a / (a - b);
				field_value f = field_evaluate(tree, from + (to - from) * t);
				// one step of false position on the true function
				if ((f.value < 0) == (a < 0)) {
					low = t;
					a = f.value;
				} else {
					high = t;
					b = f.value;
				}
				t = low + (high - low) * (a / (a - b));
				vec p = from + (to - from) * t;
				f = field_evaluate(tree, p);
				vec n = unit(f.gradient), q = index.origin + p * index.size;
				layer.edges.push_back(((uint32_t)y * (uint32_t)side + (uint32_t)x) * 3 + (uint32_t)axis);
				layer.vertices.push_back({(float)q.x, (float)q.y, (float)q.z, (float)n.x, (float)n.y, (float)n.z});
			}
}

uint32_t
grid::vertex(int x, int y, int z, int axis) const
{
	const layer &layer = layers[(size_t)z];
	uint32_t key = ((uint32_t)y * (uint32_t)side + (uint32_t)x) * 3 + (uint32_t)axis;
	return layer.base + (uint32_t)(std::lower_bound(layer.edges.begin(), layer.edges.end(), key) - layer.edges.begin());
}

void
grid::connect(int z)
{
	layer &layer = layers[(size_t)z];
	for (int y = 0; y < cells; y++)
		for (int x = 0; x < cells; x++) {
			int inside = 0;
			bool known = true;
			for (int c = 0; c < 8; c++) {
				float v = value[corner(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2))];
				known &= !std::isnan(v);
				inside |= (v < 0) << c;
			}
			if (!known)
				continue;
			for (const auto &triangle : cube_cases()[(size_t)inside]) {
				std::array<uint32_t, 3> t;
				for (size_t k = 0; k < 3; k++) {
					int c = triangle[k] / 3;
					t[k] = vertex(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2), triangle[k] % 3);
				}
				layer.triangles.push_back(t);
			}
		}
}

} // namespace

mesh
mesh_build(const tree &tree, const point_index &index, int cells)
{
	size_t side = (size_t)cells + 1;
	grid grid = {tree, index, cells, cells + 1, std::vector<float>(side * side * side, NAN), std::vector<layer>(side)};
	grid.mark();
	std::atomic<uint32_t> done(0);
	{
		progress bar("polygonise", done, 3 * (uint32_t)side);
#pragma omp parallel for schedule(dynamic, 1)
		for (int z = 0; z <= cells; z++) {
			grid.evaluate(z);
			done++;
		}
#pragma omp parallel for schedule(dynamic, 1)
		for (int z = 0; z <= cells; z++) {
			grid.cut_edges(z);
			done++;
		}
		uint32_t base = 0;
		for (layer &layer : grid.layers) {
			layer.base = base;
			base += (uint32_t)layer.vertices.size();
		}
#pragma omp parallel for schedule(dynamic, 1)
		for (int z = 0; z < cells; z++) {
			grid.connect(z);
			done++;
		}
	}
	mesh mesh;
	for (const layer &layer : grid.layers) {
		mesh.vertices.insert(mesh.vertices.end(), layer.vertices.begin(), layer.vertices.end());
		mesh.triangles.insert(mesh.triangles.end(), layer.triangles.begin(), layer.triangles.end());
	}
	return mesh;
}

} // namespace mpu
