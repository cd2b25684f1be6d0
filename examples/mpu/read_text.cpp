// Readers of the plain text kinds: OBJ (v, vn, f), XYZ and PWN (six numbers a line), OFF. Used by cloud.cpp.
#include "cloud.h"

#include <cstdlib>
#include <sstream>

namespace mpu {

static void
corner_check(const std::string &path, int number, long long corner, size_t count)
{
	if (corner < 0 || (unsigned long long)corner >= count)
		fail("%s: line %d: the face names vertex %lld of %zu", path.c_str(), number, corner, count);
}

raw_mesh
obj_parse(const std::string &path, const std::string &text)
{
	raw_mesh mesh;
	std::vector<vec> vn, assigned;
	std::istringstream file(text);
	std::string line, word;
	for (int number = 1; std::getline(file, line); number++) {
		std::istringstream in(line);
		if (!(in >> word))
			continue;
		vec p;
		if (word == "v" || word == "vn") {
			if (!(in >> p.x >> p.y >> p.z))
				fail("%s: malformed OBJ: line %d needs three numbers after \"%s\"", path.c_str(), number,
					word.c_str());
			(word == "v" ? mesh.positions : vn).push_back(p);
		} else if (word == "f") {
			std::vector<uint32_t> corners;
			assigned.resize(mesh.positions.size(), vec{0, 0, 0});
			while (in >> word) {
				long long corner = std::atoll(word.c_str());
				corner = corner < 0 ? corner + (long long)mesh.positions.size() : corner - 1;
				corner_check(path, number, corner, mesh.positions.size());
				corners.push_back((uint32_t)corner);
				size_t slash = word.rfind('/');
				if (slash == std::string::npos || word.find('/') == slash || slash + 1 == word.size())
					continue;
				long long n = std::atoll(word.c_str() + slash + 1);
				n = n < 0 ? n + (long long)vn.size() : n - 1;
				corner_check(path, number, n, vn.size());
				assigned[(size_t)corner] = assigned[(size_t)corner] + vn[(size_t)n];
			}
			if (corners.size() < 3)
				fail("%s: malformed OBJ: the face of line %d has fewer than three corners", path.c_str(), number);
			for (size_t j = 2; j < corners.size(); j++)
				mesh.triangles.push_back({corners[0], corners[j - 1], corners[j]});
		}
	}
	if (mesh.positions.empty())
		fail("%s: malformed OBJ: no \"v\" line", path.c_str());
	assigned.resize(mesh.positions.size(), vec{0, 0, 0});
	if (mesh.triangles.empty() && vn.size() == mesh.positions.size())
		mesh.normals = vn; // a cloud: the i-th vn belongs to the i-th v
	else if (!vn.empty())
		mesh.normals = assigned;
	return mesh;
}

raw_mesh
xyz_parse(const std::string &path, const std::string &text)
{
	raw_mesh mesh;
	std::istringstream file(text);
	std::string line;
	for (int number = 1; std::getline(file, line); number++) {
		const char *at = line.c_str();
		double v[6];
		int n = 0;
		for (char *end; n < 6; n++, at = end) {
			v[n] = std::strtod(at, &end);
			if (end == at)
				break;
		}
		if (n < 2 && mesh.positions.empty())
			continue; // some begin with a count
		if (n == 0)
			continue;
		if (n != 6)
			fail("%s: line %d has %d numbers; six are needed, x y z and the normal", path.c_str(), number, n);
		mesh.positions.push_back({v[0], v[1], v[2]});
		mesh.normals.push_back({v[3], v[4], v[5]});
	}
	return mesh;
}

raw_mesh
off_parse(const std::string &path, const std::string &text)
{
	raw_mesh mesh;
	std::istringstream file(text);
	std::string word, line, body;
	while (std::getline(file, line))
		body += line.substr(0, line.find('#')) + '\n';
	std::istringstream in(body);
	size_t vertices, faces, edges;
	in >> word >> vertices >> faces >> edges;
	bool with_normals = word == "NOFF";
	if (!in || (word != "OFF" && !with_normals))
		fail("%s: malformed OFF: the header is not \"OFF vertices faces edges\"", path.c_str());
	for (size_t i = 0; i < vertices; i++) {
		vec p, n;
		in >> p.x >> p.y >> p.z;
		if (with_normals && in >> n.x >> n.y >> n.z)
			mesh.normals.push_back(n);
		if (!in)
			fail("%s: truncated OFF: vertex %zu of %zu", path.c_str(), i, vertices);
		mesh.positions.push_back(p);
	}
	for (size_t i = 0; i < faces; i++) {
		std::vector<uint32_t> corners;
		long long n = 0, corner;
		in >> n;
		for (long long k = 0; k < n && in >> corner; k++) {
			corner_check(path, (int)i, corner, vertices);
			corners.push_back((uint32_t)corner);
		}
		if (!in)
			fail("%s: truncated OFF: face %zu of %zu", path.c_str(), i, faces);
		std::getline(in, line); // a colour may follow
		for (size_t j = 2; j < corners.size(); j++)
			mesh.triangles.push_back({corners[0], corners[j - 1], corners[j]});
	}
	return mesh;
}

} // namespace mpu
