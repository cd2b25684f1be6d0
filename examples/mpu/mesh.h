// The triangle mesh. Marching cubes over the grid cells near the surface make it. Used by main.cpp; picture.cpp draws it.
#pragma once

#include "field.h"

namespace mpu {

struct mesh_vertex {
	float x, y, z;
	float nx, ny, nz; // unit length, outwards
};

struct mesh {
	std::vector<mesh_vertex> vertices;
	std::vector<std::array<uint32_t, 3>> triangles; // counter-clockwise seen from outside
};

// The grid has so many cells along each side of the unit cube. The result is in the cloud's own coordinates.
mesh mesh_build(const tree &tree, const point_index &index, int grid);

// Keeps only the n largest connected pieces, by triangles.
mesh mesh_pieces(const mesh &mesh, int n);

// Turns the given axis (x, y or z) upwards, to z.
mesh mesh_turned(mesh mesh, char up);

uint64_t mesh_checksum(const mesh &mesh);

// Writes .ply (binary) or .obj, by the name's ending.
void mesh_write(const mesh &mesh, const std::string &path);

// The triangles for each of the 256 sign patterns of a cube's corners (bit x + 2y + 4z; set: inside), as triples of edges. An edge's number is 3
// times its lower corner's number plus its axis.
using cube_case = std::vector<std::array<int, 3>>;
const std::array<cube_case, 256> &cube_cases();

} // namespace mpu
