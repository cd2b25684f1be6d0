// Reader of PLY: ascii, binary little and big endian. It steps over extra elements and properties. Used by cloud.cpp.
#include "cloud.h"

#include <cstdlib>
#include <cstring>
#include <sstream>

namespace mpu {

namespace {

enum ply_format { PLY_ASCII, PLY_LITTLE, PLY_BIG };

struct ply_type {
	const char *name, *other_name;
	int bytes;
	char kind; // i, u or f
};

const ply_type ply_types[] = {
	{"char", "int8", 1, 'i'},
	{"uchar", "uint8", 1, 'u'},
	{"short", "int16", 2, 'i'},
	{"ushort", "uint16", 2, 'u'},
	{"int", "int32", 4, 'i'},
	{"uint", "uint32", 4, 'u'},
	{"float", "float32", 4, 'f'},
	{"double", "float64", 8, 'f'},
};

struct ply_property {
	std::string name;
	const ply_type *type;
	const ply_type *length; // of a list; null for a single value
};

struct ply_element {
	std::string name;
	uint64_t count;
	std::vector<ply_property> properties;
};

// Returns the beginning of a text, as a message can show it.
std::string
shown(const char *text)
{
	std::string result;
	for (int i = 0; i < 12 && text[i] > ' ' && text[i] < 127; i++)
		result += text[i];
	return result;
}

struct ply_reader {
	const std::string &path, &text;
	size_t at;
	ply_format format;

	double value(const ply_type *type);
	double binary_value(const ply_type *type);
};

double
ply_reader::binary_value(const ply_type *type)
{
	unsigned char bytes[8] = {};
	if (text.size() - at < (size_t)type->bytes)
		fail("%s: truncated PLY: the data end at byte %zu, in the middle of an element", path.c_str(), text.size());
	for (int i = 0; i < type->bytes; i++)
		bytes[format == PLY_BIG ? type->bytes - 1 - i : i] = (unsigned char)text[at + i];
	at += type->bytes;
	uint64_t bits = 0;
	for (int i = 7; i >= 0; i--)
		bits = bits << 8 | bytes[i];
	if (type->kind == 'f' && type->bytes == 8) {
		double d;
		std::memcpy(&d, &bits, 8);
		return d;
	}
	if (type->kind == 'f') {
		float f;
		uint32_t low = (uint32_t)bits;
		std::memcpy(&f, &low, 4);
		return f;
	}
	int shift = 64 - 8 * type->bytes;
	return type->kind == 'u' ? (double)bits : (double)((int64_t)(bits << shift) >> shift);
}

double
ply_reader::value(const ply_type *type)
{
	if (format != PLY_ASCII)
		return binary_value(type);
	while (at < text.size() && std::isspace((unsigned char)text[at]))
		at++;
	if (at == text.size())
		fail("%s: truncated PLY: the data end before the last element", path.c_str());
	const char *start = text.c_str() + at;
	char *end;
	double v = std::strtod(start, &end);
	if (end == start)
		fail("%s: malformed PLY: not a number at byte %zu: \"%s\"", path.c_str(), at, shown(start).c_str());
	at += end - start;
	return v;
}

const ply_type *
type_find(const std::string &path, const std::string &name)
{
	for (const ply_type &type : ply_types)
		if (name == type.name || name == type.other_name)
			return &type;
	fail("%s: malformed PLY: unknown type \"%s\"", path.c_str(), shown(name.c_str()).c_str());
}

std::vector<ply_element>
header_parse(ply_reader &reader)
{
	std::vector<ply_element> elements;
	bool formatted = false;
	const char *path = reader.path.c_str();
	for (int number = 1;; number++) {
		size_t end = reader.text.find('\n', reader.at);
		if (end == std::string::npos)
			fail("%s: %s", path, number == 1 ? "not a PLY file" : "truncated PLY: the header has no end_header");
		std::istringstream line(reader.text.substr(reader.at, end - reader.at));
		reader.at = end + 1;
		std::string word, kind, name, extra;
		line >> word;
		if (number == 1) {
			if (word != "ply")
				fail("%s: not a PLY file: it does not begin with \"ply\"", path);
		} else if (word == "end_header") {
			break;
		} else if (word == "format") {
			line >> kind;
			formatted = true;
			if (kind == "ascii")
				reader.format = PLY_ASCII;
			else if (kind == "binary_little_endian")
				reader.format = PLY_LITTLE;
			else if (kind == "binary_big_endian")
				reader.format = PLY_BIG;
			else
				fail("%s: malformed PLY: unknown format \"%s\"", path, shown(kind.c_str()).c_str());
		} else if (word == "element") {
			ply_element element;
			long long count = -1;
			line >> element.name >> count;
			if (!line || count < 0 || (uint64_t)count > reader.text.size())
				fail("%s: malformed or truncated PLY: line %d promises more than the file can hold", path, number);
			element.count = (uint64_t)count;
			elements.push_back(element);
		} else if (word == "property") {
			ply_property property = {};
			line >> kind;
			if (kind == "list") {
				line >> kind >> extra;
				property.length = type_find(reader.path, kind);
				kind = extra;
			}
			line >> property.name;
			if (!line || elements.empty())
				fail("%s: malformed PLY: header line %d", path, number);
			property.type = type_find(reader.path, kind);
			elements.back().properties.push_back(property);
		} else if (word != "comment" && word != "obj_info" && !word.empty()) {
			fail("%s: malformed PLY: header line %d begins with \"%s\"", path, number, shown(word.c_str()).c_str());
		}
	}
	if (!formatted)
		fail("%s: malformed PLY: the header names no format", path);
	return elements;
}

void
vertices_parse(ply_reader &reader, const ply_element &element, raw_mesh &mesh)
{
	static const char *const names[6] = {"x", "y", "z", "nx", "ny", "nz"};
	std::vector<int> slots;
	int found = 0;
	for (const ply_property &property : element.properties) {
		int slot = 6;
		for (int k = 0; k < 6; k++)
			if (property.name == names[k] && !property.length)
				slot = k;
		found |= 1 << slot;
		slots.push_back(slot);
	}
	if ((found & 7) != 7)
		fail("%s: malformed PLY: the vertices have no x, y and z", reader.path.c_str());
	for (uint64_t i = 0; i < element.count; i++) {
		double v[7] = {};
		for (size_t k = 0; k < slots.size(); k++) {
			const ply_property &property = element.properties[k];
			double n = property.length ? reader.value(property.length) : 1;
			for (double j = 0; j < n; j++)
				v[slots[k]] = reader.value(property.type);
		}
		mesh.positions.push_back({v[0], v[1], v[2]});
		if ((found & 0x38) == 0x38)
			mesh.normals.push_back({v[3], v[4], v[5]});
	}
}

void
faces_parse(ply_reader &reader, const ply_element &element, raw_mesh &mesh)
{
	std::vector<uint32_t> corners;
	for (uint64_t i = 0; i < element.count; i++) {
		for (const ply_property &property : element.properties) {
			bool wanted = property.length && (property.name == "vertex_indices" || property.name == "vertex_index");
			double n = property.length ? reader.value(property.length) : 1;
			corners.clear();
			for (double j = 0; j < n; j++) {
				double v = reader.value(property.type);
				if (wanted && !(v >= 0 && v < (double)mesh.positions.size()))
					fail("%s: malformed PLY: face %llu names vertex %.0f of %zu", reader.path.c_str(),
						(unsigned long long)i, v, mesh.positions.size());
				if (wanted)
					corners.push_back((uint32_t)v);
			}
			for (size_t j = 2; j < corners.size(); j++)
				mesh.triangles.push_back({corners[0], corners[j - 1], corners[j]});
		}
	}
}

} // namespace

raw_mesh
ply_parse(const std::string &path, const std::string &text)
{
	raw_mesh mesh;
	ply_reader reader = {path, text, 0, PLY_ASCII};
	bool seen = false;
	for (const ply_element &element : header_parse(reader)) {
		if (element.name == "vertex") {
			vertices_parse(reader, element, mesh);
			seen = true;
		} else {
			faces_parse(reader, element, mesh);
		}
	}
	if (!seen)
		fail("%s: malformed PLY: no element \"vertex\"", path.c_str());
	return mesh;
}

} // namespace mpu
