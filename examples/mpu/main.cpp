// mpu: reads a cloud and refines the octree under a clock. On demand it polygonises and draws the surface.
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <memory>

#include <dlfcn.h>
#include <omp.h>

#include "ideal.h"
#include "mesh.h"
#include "options.h"
#include "picture.h"
#include "progress.h"

using namespace mpu;

static double
now()
{
	return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Returns the path of the OpenMP runtime that this process runs on.
static const char *
runtime_path()
{
	Dl_info info;
	void *symbol = dlsym(RTLD_DEFAULT, "GOMP_parallel");
	return symbol && dladdr(symbol, &info) ? info.dli_fname : "?";
}

__attribute__((format(printf, 1, 2))) static std::string
text(const char *format, ...)
{
	char line[1024];
	va_list args;
	va_start(args, format);
	std::vsnprintf(line, sizeof line, format, args);
	va_end(args);
	return line;
}

// Prints one line for a phase: plain text, or a JSON object.
static void
report(bool json, const char *phase, double seconds, const std::string &people, const std::string &fields)
{
	if (json)
		std::printf("{\"phase\": \"%s\", \"seconds\": %.6f, %s}\n", phase, seconds, fields.c_str());
	else
		std::printf("%-11s %9.4f s   %s\n", phase, seconds, people.c_str());
	std::fflush(stdout);
}

static void
refine_once(refiner &refiner, const options &o, int run)
{
	static void (*const variants[])(mpu::refiner &) = {refine_serial, refine_nested, refine_tasks, refine_tbb};
	tree_clear(refiner.tree);
	double seconds;
	{
		progress bar("refine", refiner.tree.used, 0);
		double start = now();
		variants[o.variant](refiner);
		seconds = now() - start;
	}
	tree_summary sum = tree_finish(refiner.tree);
	uint64_t regions = o.variant == VARIANT_SERIAL ? 0 : o.variant == VARIANT_NESTED ? sum.regions : 1;
	uint64_t threads = o.variant == VARIANT_SERIAL ? 1 : o.variant == VARIANT_NESTED ? sum.threads : (uint64_t)o.threads;
	report(o.json, "refine", seconds,
		text("%s, %llu nodes, %llu regions, %llu threads, checksum %016llx", variant_name(o.variant),
			(unsigned long long)sum.nodes, (unsigned long long)regions, (unsigned long long)threads,
			(unsigned long long)sum.checksum),
		text("\"run\": %d, \"points\": %zu, \"variant\": \"%s\", \"runtime\": \"%s\", \"levels\": %d, \"nodes\": %llu, "
		     "\"regions\": %llu, \"threads\": %llu, \"checksum\": \"%016llx\"",
			run, refiner.index.points.size(), variant_name(o.variant), runtime_path(), o.levels,
			(unsigned long long)sum.nodes, (unsigned long long)regions, (unsigned long long)threads,
			(unsigned long long)sum.checksum));
}

static void
refine_parts(refiner &refiner, const options &o)
{
	int n = o.ideal ? o.ideal : o.parts;
	std::vector<share> shares = refine_deal(refiner, n);
	if (o.ideal) {
		std::vector<double> times = ideal_run(refiner, shares, o.repeat);
		for (int run = 0; run < o.repeat; run++)
			report(o.json, "refine", times[(size_t)run],
				text("the slowest of %d bound processes with equal shares", n),
				text("\"run\": %d, \"variant\": \"ideal\", \"processes\": %d", run + 1, n));
		return;
	}
	for (int run = 0; run < o.repeat; run++) {
		tree_clear(refiner.tree);
		double start = now();
		refine_share(refiner, shares[(size_t)o.part - 1]);
		report(o.json, "refine", now() - start, text("share %d of %d", o.part, n),
			text("\"run\": %d, \"variant\": \"part\", \"part\": %d, \"parts\": %d", run + 1, o.part, n));
	}
}

int
main(int argc, char **argv)
{
	options o = options_parse(argc, argv);
	omp_set_dynamic(0);
	omp_set_max_active_levels(o.variant == VARIANT_NESTED ? o.levels : 1);

	double start = now();
	cloud cloud;
	try {
		cloud = cloud_read(o.input, o.volume);
	} catch (const std::exception &error) { // from the standard library: no memory, a position past the end of a text
		fail("%s: malformed, or too large for this machine (%s)", o.input.c_str(), error.what());
	}
	report(o.json, "read", now() - start, text("%zu oriented points", cloud.points.size()),
		text("\"points\": %zu", cloud.points.size()));
	start = now();
	point_index index = index_build(cloud);
	report(o.json, "index", now() - start, text("%zu boxes", index.boxes.size()), text("\"boxes\": %zu", index.boxes.size()));

	tree tree;
	tree_create(tree, index.points.size());
	refiner refiner = {index, {o.tolerance, o.depth}, tree, o.team, o.threads};
	if (o.ideal || o.part) {
		refine_parts(refiner, o);
		return 0;
	}
	for (int run = 1; run <= o.repeat; run++)
		refine_once(refiner, o, run);
	if (!o.grid)
		return 0;

	start = now();
	mesh mesh = mesh_build(tree, index, o.grid);
	if (o.pieces)
		mesh = mesh_pieces(mesh, o.pieces);
	size_t vertices = mesh.vertices.size(), triangles = mesh.triangles.size();
	unsigned long long checksum = mesh_checksum(mesh);
	report(o.json, "polygonise", now() - start,
		text("%zu vertices, %zu triangles, checksum %016llx", vertices, triangles, checksum),
		text("\"vertices\": %zu, \"triangles\": %zu, \"checksum\": \"%016llx\"", vertices, triangles, checksum));
	if (!o.mesh.empty())
		mesh_write(mesh, o.mesh);
	if (!o.picture.empty()) {
		start = now();
		picture_write(picture_draw(mesh_turned(mesh, o.up), o.width, o.azimuth, o.elevation), o.picture);
		report(o.json, "draw", now() - start, text("%s, %d x %d", o.picture.c_str(), o.width, o.width),
			text("\"file\": \"%s\", \"width\": %d", o.picture.c_str(), o.width));
	}
	return 0;
}
