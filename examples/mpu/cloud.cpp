// The cloud: the choice of a file's reader, and the checks and normals that are the same for all readers.
#include "cloud.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <sys/stat.h>

namespace mpu {

double
norm(vec a)
{
	return std::sqrt(dot(a, a));
}

vec
unit(vec a)
{
	double length = norm(a);
	return length > 0 ? a * (1 / length) : vec{0, 0, 0};
}

void
fail(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	std::fflush(stdout);
	std::fputs("mpu: ", stderr);
	std::vfprintf(stderr, format, args);
	std::fputc('\n', stderr);
	va_end(args);
	std::exit(1);
}

std::string
file_contents(const std::string &path)
{
	struct stat status;
	if (stat(path.c_str(), &status) != 0)
		fail("%s: %s", path.c_str(), std::strerror(errno));
	if (S_ISDIR(status.st_mode))
		fail("%s: a folder, not a file of points", path.c_str());
	std::ifstream file(path, std::ios::binary);
	std::stringstream text;
	text << file.rdbuf();
	if (!file)
		fail("%s: %s", path.c_str(), status.st_size ? std::strerror(errno) : "the file is empty");
	return text.str();
}

// A vertex normal is the sum of its triangles' normals, weighted by area.
static void
normals_from_triangles(raw_mesh &mesh)
{
	mesh.normals.assign(mesh.positions.size(), vec{0, 0, 0});
	for (const auto &t : mesh.triangles) {
		vec a = mesh.positions[t[0]], b = mesh.positions[t[1]], c = mesh.positions[t[2]];
		vec n = cross(b - a, c - a);
		for (uint32_t v : t)
			mesh.normals[v] = mesh.normals[v] + n;
	}
}

static bool
finite(vec a)
{
	return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

static bool
ends_with(const std::string &name, const char *end)
{
	size_t n = std::strlen(end);
	return name.size() >= n && strcasecmp(name.c_str() + name.size() - n, end) == 0;
}

cloud
cloud_read(const std::string &path, const volume_options &options)
{
	cloud result;
	raw_mesh mesh;
	if (ends_with(path, ".inv3")) {
		result = volume_read(path, options);
	} else {
		if (ends_with(path, ".ply"))
			mesh = ply_parse(path, file_contents(path));
		else if (ends_with(path, ".obj"))
			mesh = obj_parse(path, file_contents(path));
		else if (ends_with(path, ".xyz") || ends_with(path, ".pwn"))
			mesh = xyz_parse(path, file_contents(path));
		else if (ends_with(path, ".off"))
			mesh = off_parse(path, file_contents(path));
		else
			fail("%s: unknown kind of file; the name has to end in .inv3, .ply, .obj, .xyz, .pwn or .off",
				path.c_str());
		if (mesh.normals.empty() && mesh.triangles.empty())
			fail("%s: points without normals and without faces; this program needs oriented points", path.c_str());
		if (mesh.normals.empty())
			normals_from_triangles(mesh);
		for (size_t i = 0; i < mesh.positions.size(); i++) {
			vec p = mesh.positions[i], n = unit(mesh.normals[i]);
			if (!finite(p) || !finite(n) || dot(n, n) == 0)
				continue;
			result.points.push_back({(float)p.x, (float)p.y, (float)p.z, (float)n.x, (float)n.y, (float)n.z});
		}
	}
	if (result.points.size() < 32)
		fail("%s: %zu oriented points; at least 32 are needed", path.c_str(), result.points.size());
	return result;
}

} // namespace mpu
