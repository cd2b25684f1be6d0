// Reader of InVesalius projects (.inv3: a gzipped tar of property lists and one raw matrix). The points are the crossings of an isosurface with
// the grid's edges, with normals from the gradient. Used by cloud.cpp.
#include "cloud.h"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

namespace mpu {

namespace {

struct volume {
	int size[3]; // along x, y, z; x runs fastest
	double spacing[3];
	std::vector<float> value;

	float
	at(int x, int y, int z) const
	{
		return value[((size_t)z * size[1] + y) * size[0] + x];
	}
};

std::string
gunzip(const std::string &path)
{
	file_contents(path); // tells the user if the file is missing
	gzFile file = gzopen(path.c_str(), "rb");
	if (!file)
		fail("%s: cannot be opened", path.c_str());
	std::string all;
	std::vector<char> block(1 << 20);
	int n;
	while ((n = gzread(file, block.data(), (unsigned)block.size())) > 0)
		all.append(block.data(), (size_t)n);
	int error;
	gzerror(file, &error);
	if (n < 0 || error != Z_OK)
		fail("%s: truncated or damaged gzip data", path.c_str());
	gzclose(file);
	return all;
}

// Returns the members of a tar archive, by the last part of their names.
std::map<std::string, std::string>
tar_members(const std::string &path, const std::string &all)
{
	std::map<std::string, std::string> members;
	for (size_t at = 0; at + 512 <= all.size() && all[at];) {
		std::string name(all.c_str() + at, strnlen(all.c_str() + at, 100));
		size_t size = std::strtoull(all.substr(at + 124, 12).c_str(), nullptr, 8);
		if (size > all.size() - at - 512)
			fail("%s: truncated archive: its member %s is cut off", path.c_str(), name.c_str());
		members[name.substr(name.rfind('/') + 1)] = all.substr(at + 512, size);
		at += 512 + (size + 511) / 512 * 512;
	}
	return members;
}

// Returns the texts of the leaves that follow <key>key</key>: one, or those of its array.
std::vector<std::string>
plist_values(const std::string &path, const std::string &plist, const std::string &key)
{
	std::vector<std::string> values;
	size_t at = plist.find("<key>" + key + "</key>");
	if (at == std::string::npos)
		fail("%s: main.plist has no \"%s\"", path.c_str(), key.c_str());
	at = plist.find("</key>", at) + 6;
	size_t first = plist.find_first_not_of(" \t\r\n", at);
	bool array = first != std::string::npos && plist.compare(first, 7, "<array>") == 0;
	if (array)
		at = first + 7;
	const size_t stop = array ? plist.find("</array>", at) : plist.find("</", at);
	while (stop != std::string::npos && (array || values.empty())) {
		size_t start = plist.find('>', at), end = plist.find("</", start);
		at = plist.find('>', end);
		if (start >= stop || at == std::string::npos)
			break;
		at++;
		values.push_back(plist.substr(start + 1, end - start - 1));
	}
	return values;
}

volume
volume_load(const std::string &path)
{
	auto members = tar_members(path, gunzip(path));
	if (!members.count("main.plist"))
		fail("%s: not an InVesalius project: no main.plist in it", path.c_str());
	const std::string &plist = members["main.plist"];
	auto type = plist_values(path, plist, "dtype"), name = plist_values(path, plist, "filename");
	auto shape = plist_values(path, plist, "shape"), spacing = plist_values(path, plist, "spacing");
	if (type.size() != 1 || type[0] != "int16" || shape.size() != 3 || spacing.size() != 3 || name.size() != 1)
		fail("%s: main.plist describes something other than a three-dimensional int16 matrix", path.c_str());
	volume v;
	size_t total = 1;
	for (int k = 0; k < 3; k++) {
		v.size[k] = std::atoi(shape[2 - k].c_str());
		v.spacing[k] = std::atof(spacing[k].c_str());
		if (v.size[k] < 2 || v.size[k] > 4096 || !(v.spacing[k] > 0))
			fail("%s: main.plist: impossible shape or spacing", path.c_str());
		total *= (size_t)v.size[k];
	}
	const std::string &matrix = members[name[0]];
	if (matrix.size() != total * 2)
		fail("%s: the matrix has %zu bytes; its shape needs %zu", path.c_str(), matrix.size(), total * 2);
	v.value.resize(total);
	for (size_t i = 0; i < total; i++)
		v.value[i] = (int16_t)((unsigned char)matrix[2 * i] | (unsigned char)matrix[2 * i + 1] << 8);
	return v;
}

void
volume_smooth(volume &v)
{
	size_t step = 1;
	for (int axis = 0; axis < 3; step *= (size_t)v.size[axis++]) {
		size_t n = (size_t)v.size[axis];
		std::vector<float> line(n);
		for (size_t start = 0; start < v.value.size(); start++) {
			if (start / step % n)
				continue;
			for (size_t i = 0; i < n; i++)
				line[i] = v.value[start + i * step];
			for (size_t i = 0; i < n; i++)
				v.value[start + i * step] =
					0.25f * line[i ? i - 1 : 0] + 0.5f * line[i] + 0.25f * line[std::min(i + 1, n - 1)];
		}
	}
}

vec
volume_gradient(const volume &v, const int at[3])
{
	double g[3];
	for (int axis = 0; axis < 3; axis++) {
		int low[3] = {at[0], at[1], at[2]}, high[3] = {at[0], at[1], at[2]};
		low[axis] = std::max(at[axis] - 1, 0);
		high[axis] = std::min(at[axis] + 1, v.size[axis] - 1);
		g[axis] = ((double)v.at(high[0], high[1], high[2]) - (double)v.at(low[0], low[1], low[2])) /
			(v.spacing[axis] * (high[axis] - low[axis]));
	}
	return {g[0], g[1], g[2]};
}

} // namespace

cloud
volume_read(const std::string &path, const volume_options &options)
{
	volume v = volume_load(path);
	for (int i = 0; i < options.smooth; i++)
		volume_smooth(v);
	cloud result;
	for (int z = 0; z < v.size[2]; z++)
		for (int y = 0; y < v.size[1]; y++)
			for (int x = 0; x < v.size[0]; x++)
				for (int axis = 0; axis < 3; axis++) {
					int a[3] = {x, y, z}, b[3] = {x, y, z};
					if (++b[axis] == v.size[axis])
						continue;
					double va = v.at(a[0], a[1], a[2]) - options.iso,
					       vb = v.at(b[0], b[1], b[2]) - options.iso;
					if ((va > 0) == (vb > 0))
						continue;
					double t = va / (va - vb);
					vec n = unit(volume_gradient(v, a) * (t - 1) + volume_gradient(v, b) * -t);
					double p[3] = {(double)x, (double)y, (double)z};
					p[axis] += t;
					if (dot(n, n) > 0)
						result.points.push_back({(float)(p[0] * v.spacing[0]),
							(float)(p[1] * v.spacing[1]), (float)(p[2] * v.spacing[2]), (float)n.x,
							(float)n.y, (float)n.z});
				}
	return result;
}

} // namespace mpu
