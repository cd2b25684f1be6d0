// An oriented point cloud, and the readers that make one of a file. Used by main.cpp; every reader has its own file.
// A reader that cannot go on calls fail(): one line on stderr, exit status 1.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace mpu {

struct vec {
	double x, y, z;
};

inline vec
operator+(vec a, vec b)
{
	return {a.x + b.x, a.y + b.y, a.z + b.z};
}

inline vec
operator-(vec a, vec b)
{
	return {a.x - b.x, a.y - b.y, a.z - b.z};
}

inline vec
operator*(vec a, double s)
{
	return {a.x * s, a.y * s, a.z * s};
}

inline double
dot(vec a, vec b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

inline vec
cross(vec a, vec b)
{
	return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

double norm(vec a);

// A null vector stays null.
vec unit(vec a);

struct oriented_point {
	float x, y, z;
	float nx, ny, nz; // unit length, away from the body
};

struct cloud {
	std::vector<oriented_point> points;
};

// The contents of a file of points and perhaps faces, before normals are made.
struct raw_mesh {
	std::vector<vec> positions;
	std::vector<vec> normals; // empty, or one for each position
	std::vector<std::array<uint32_t, 3>> triangles;
};

struct volume_options {
	double iso;
	int smooth; // passes of a 1-2-1 filter along each axis
};

[[noreturn]] void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

std::string file_contents(const std::string &path);

raw_mesh ply_parse(const std::string &path, const std::string &text);
raw_mesh obj_parse(const std::string &path, const std::string &text);
raw_mesh xyz_parse(const std::string &path, const std::string &text);
raw_mesh off_parse(const std::string &path, const std::string &text);
cloud volume_read(const std::string &path, const volume_options &options);

// Picks the reader by the name's ending (.inv3 .ply .obj .xyz .pwn .off). Returns only finite points with unit normals.
cloud cloud_read(const std::string &path, const volume_options &options);

} // namespace mpu
