// The 256 cases of marching cubes, derived instead of listed. On each face of the cube, one segment cuts off every run of inside corners.
// It depends on that face alone, so neighbours agree and the mesh has no cracks. The segments chain up to closed polygons.
#include "mesh.h"

namespace mpu {

static int
edge_between(int a, int b)
{
	int axis = (a ^ b) == 1 ? 0 : (a ^ b) == 2 ? 1 : 2;
	return 3 * (a < b ? a : b) + axis;
}

// Corners of each face, counter-clockwise seen from outside.
static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

static cube_case
case_derive(int inside)
{
	int next[24];
	for (int &n : next)
		n = -1;
	for (const int(&face)[4] : faces) {
		for (int i = 0; i < 4; i++) {
			int before = face[i], first = face[(i + 1) % 4];
			if ((inside >> before & 1) || !(inside >> first & 1))
				continue; // a run of inside corners starts at first
			int j = i + 1;
			while (inside >> face[(j + 1) % 4] & 1)
				j++;
			next[edge_between(face[j % 4], face[(j + 1) % 4])] = edge_between(before, first);
		}
	}
	cube_case triangles;
	for (int start = 0; start < 24; start++) {
		std::vector<int> loop;
		for (int e = start; next[e] >= 0;) {
			loop.push_back(e);
			int to = next[e];
			next[e] = -1;
			e = to;
		}
		for (size_t i = 2; i < loop.size(); i++)
			triangles.push_back({loop[0], loop[i - 1], loop[i]});
	}
	return triangles;
}

const std::array<cube_case, 256> &
cube_cases()
{
	static const std::array<cube_case, 256> cases = [] {
		std::array<cube_case, 256> all;
		for (int inside = 0; inside < 256; inside++)
			all[(size_t)inside] = case_derive(inside);
		return all;
	}();
	return cases;
}

} // namespace mpu
