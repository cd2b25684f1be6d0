// The uses of a finished mesh: choosing its pieces, its checksum, writing it to a file.
#include "mesh.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>

namespace mpu {

mesh
mesh_pieces(const mesh &whole, int n)
{
	std::vector<uint32_t> parent(whole.vertices.size()), size(whole.vertices.size());
	std::iota(parent.begin(), parent.end(), 0);
	auto root = [&parent](uint32_t v) {
		while (parent[v] != v)
			v = parent[v] = parent[parent[v]];
		return v;
	};
	for (const auto &t : whole.triangles)
		for (uint32_t v : {t[1], t[2]})
			parent[std::max(root(t[0]), root(v))] = std::min(root(t[0]), root(v));
	for (const auto &t : whole.triangles)
		size[root(t[0])]++;
	std::vector<uint32_t> order(whole.vertices.size()), number(whole.vertices.size(), UINT32_MAX);
	std::iota(order.begin(), order.end(), 0);
	std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return size[a] > size[b]; });
	std::vector<bool> kept(whole.vertices.size());
	for (size_t i = 0; i < (size_t)n && i < order.size(); i++)
		kept[order[i]] = true;
	mesh result;
	for (uint32_t v = 0; v < whole.vertices.size(); v++)
		if (kept[root(v)]) {
			number[v] = (uint32_t)result.vertices.size();
			result.vertices.push_back(whole.vertices[v]);
		}
	for (const auto &t : whole.triangles)
		if (kept[root(t[0])])
			result.triangles.push_back({number[t[0]], number[t[1]], number[t[2]]});
	return result;
}

mesh
mesh_turned(mesh mesh, char up)
{
	for (mesh_vertex &v : mesh.vertices) {
		if (up == 'x')
			v = {v.y, v.z, v.x, v.ny, v.nz, v.nx};
		else if (up == 'y')
			v = {v.z, v.x, v.y, v.nz, v.nx, v.ny};
	}
	return mesh;
}

uint64_t
mesh_checksum(const mesh &mesh)
{
	uint64_t sum = 0xcbf29ce484222325;
	auto add = [&sum](const void *bytes, size_t n) {
		for (size_t i = 0; i < n; i += 4) {
			uint32_t word;
			std::memcpy(&word, static_cast<const char *>(bytes) + i, 4);
			sum = (sum ^ word) * 0x100000001b3;
			sum ^= sum >> 32;
		}
	};
	add(mesh.vertices.data(), mesh.vertices.size() * sizeof mesh.vertices[0]);
	add(mesh.triangles.data(), mesh.triangles.size() * sizeof mesh.triangles[0]);
	return sum;
}

void
mesh_write(const mesh &mesh, const std::string &path)
{
	bool obj = path.size() > 4 && path.compare(path.size() - 4, 4, ".obj") == 0;
	FILE *file = std::fopen(path.c_str(), "wb");
	if (!file)
		fail("%s: cannot be written", path.c_str());
	if (obj) {
		for (const mesh_vertex &v : mesh.vertices)
			std::fprintf(file, "v %.9g %.9g %.9g\nvn %.5g %.5g %.5g\n", v.x, v.y, v.z, v.nx, v.ny, v.nz);
		for (const auto &t : mesh.triangles)
			std::fprintf(file, "f %u//%u %u//%u %u//%u\n", t[0] + 1, t[0] + 1, t[1] + 1, t[1] + 1, t[2] + 1, t[2] + 1);
	} else {
		std::fprintf(file, "ply\nformat binary_little_endian 1.0\nelement vertex %zu\n", mesh.vertices.size());
		for (const char *name : {"x", "y", "z", "nx", "ny", "nz"})
			std::fprintf(file, "property float %s\n", name);
		std::fprintf(
			file, "element face %zu\nproperty list uchar uint vertex_indices\nend_header\n", mesh.triangles.size());
		std::fwrite(mesh.vertices.data(), sizeof mesh.vertices[0], mesh.vertices.size(), file);
		for (const auto &t : mesh.triangles) {
			std::fputc(3, file);
			std::fwrite(t.data(), 4, 3, file);
		}
	}
	bool bad = std::ferror(file);
	if (std::fclose(file) != 0 || bad)
		fail("%s: could not be written in full", path.c_str());
}

} // namespace mpu
