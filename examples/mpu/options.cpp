// The command line: one table of options, one parser for numbers.
#include "options.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>

namespace mpu {

static const char help[] =
	"usage: mpu [options] INPUT\n"
	"\n"
	"Rebuilds a surface from oriented points: multi-level partition of unity implicits (Ohtake et al. 2003).\n"
	"INPUT is a cloud or mesh (.ply .obj .xyz .pwn .off) or a computed tomography scan (.inv3, a project of InVesalius).\n"
	"\n"
	"Refinement (the part that is timed)\n"
	"  --variant NAME    serial, nested, tasks or tbb; nested opens a parallel region at every cell that is cut (default "
	"nested)\n"
	"  --levels N        nested: how many levels of regions may be active (default 64: all)\n"
	"  --team N          nested: threads of each region (default 4)\n"
	"  --threads N       tasks and tbb: threads in all (default: the CPUs this process may use)\n"
	"  --tolerance X     cut a cell while a point is farther from its fit, in parts of the longest side (default 0.003)\n"
	"  --depth N         never cut below this level, 1 to 15 (default 10)\n"
	"  --repeat N        refine N times and print each time (default 1)\n"
	"  --part I/N        only the I-th (from 1) of N shares of equal work, serially: N bound processes at once are the "
	"ideal\n"
	"  --ideal N         starts those N processes itself, each on a CPU of its own, and prints the time of the slowest\n"
	"\n"
	"Scans\n"
	"  --iso V           bone (226), skin (-300) or a number: the value on the surface (default bone)\n"
	"  --smooth N        passes of a small smoothing filter before (default 1)\n"
	"\n"
	"Surface\n"
	"  --mesh FILE       write the triangles, to .ply or .obj\n"
	"  --picture FILE    write a picture, a PNG\n"
	"  --grid N          cells of the polygonising grid along each side (default 256); given alone, polygonises without "
	"writing\n"
	"  --pieces N        keep only the N largest connected pieces (default: all)\n"
	"  --width N         pixels along each side of the picture (default 800)\n"
	"  --view A,E        azimuth and elevation of the eye in degrees (default 35,15)\n"
	"  --up AXIS         x, y or z: the one that points upwards in the picture (default z)\n"
	"\n"
	"  --json            one JSON object a line: phase, seconds, nodes, regions, threads, checksum...\n"
	"  --help            this text\n"
	"\n"
	"The checksums depend on the input and on tolerance, depth, iso, smooth and grid only: not on variant, runtime or thread "
	"count.\n";

const char *
variant_name(variant variant)
{
	static const char *const names[] = {"serial", "nested", "tasks", "tbb"};
	return names[variant];
}

static variant
variant_parse(const char *text)
{
	for (variant v : {VARIANT_SERIAL, VARIANT_NESTED, VARIANT_TASKS, VARIANT_TBB})
		if (std::strcmp(text, variant_name(v)) == 0)
			return v;
	fail("--variant %s: unknown; it can be serial, nested, tasks or tbb", text);
}

static double
number_parse(const char *option, const char *text, double low, double high)
{
	char *end;
	double v = std::strtod(text, &end);
	if (end == text || *end || !(v >= low && v <= high))
		fail("%s %s: a number from %g to %g is needed", option, text, low, high);
	return v;
}

static int
integer_parse(const char *option, const char *text, int low, int high)
{
	double v = number_parse(option, text, low, high);
	if (v != std::floor(v))
		fail("%s %s: a whole number from %d to %d is needed", option, text, low, high);
	return (int)v;
}

static double
iso_parse(const char *text)
{
	if (std::strcmp(text, "bone") == 0)
		return 226;
	if (std::strcmp(text, "skin") == 0)
		return -300;
	return number_parse("--iso (besides bone and skin)", text, -32768, 32767);
}

static void
pair_parse(const char *option, const char *text, char between, double *first, double *second)
{
	char *middle = nullptr, *end = nullptr;
	*first = std::strtod(text, &middle);
	if (middle != text && *middle == between)
		*second = std::strtod(middle + 1, &end);
	if (!end || end == middle + 1 || *end || !std::isfinite(*first) || !std::isfinite(*second))
		fail("%s %s: two numbers with a '%c' between them are needed", option, text, between);
}

// Sets one option that has a value.
static void
option_set(options &o, const std::string &name, const std::string &value)
{
	const char *n = name.c_str(), *v = value.c_str();
	double first, second;
	if (name == "--variant") {
		o.variant = variant_parse(v);
	} else if (name == "--levels") {
		o.levels = integer_parse(n, v, 1, 1000);
	} else if (name == "--team") {
		o.team = integer_parse(n, v, 1, 64);
	} else if (name == "--threads") {
		o.threads = integer_parse(n, v, 1, 1024);
	} else if (name == "--tolerance") {
		o.tolerance = number_parse(n, v, 1e-7, 0.1);
	} else if (name == "--depth") {
		o.depth = integer_parse(n, v, 1, 15);
	} else if (name == "--repeat") {
		o.repeat = integer_parse(n, v, 1, 1000000);
	} else if (name == "--iso") {
		o.volume.iso = iso_parse(v);
	} else if (name == "--smooth") {
		o.volume.smooth = integer_parse(n, v, 0, 20);
	} else if (name == "--mesh") {
		o.mesh = value;
	} else if (name == "--picture") {
		o.picture = value;
	} else if (name == "--grid") {
		o.grid = integer_parse(n, v, 8, 512);
	} else if (name == "--width") {
		o.width = integer_parse(n, v, 16, 4096);
	} else if (name == "--pieces") {
		o.pieces = integer_parse(n, v, 1, 1000000);
	} else if (name == "--ideal") {
		o.ideal = integer_parse(n, v, 1, 64);
	} else if (name == "--view") {
		pair_parse(n, v, ',', &o.azimuth, &o.elevation);
	} else if (name == "--up") {
		if (value != "x" && value != "y" && value != "z")
			fail("--up %s: x, y or z is needed", v);
		o.up = value[0];
	} else if (name == "--part") {
		pair_parse(n, v, '/', &first, &second);
		if (!(first >= 1 && first <= second && second <= 64))
			fail("--part %s: I/N with I from 1 to N and N at most 64 is needed", v);
		o.part = (int)first;
		o.parts = (int)second;
	} else {
		fail("%s: unknown option; mpu --help lists them", n);
	}
}

options
options_parse(int argc, char **argv)
{
	options o;
	cpu_set_t cpus;
	o.threads = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
	for (int i = 1; i < argc; i++) {
		std::string name = argv[i], value;
		if (name == "--help" || name == "-h") {
			std::fputs(help, stdout);
			std::exit(0);
		}
		if (name == "--json") {
			o.json = true;
			continue;
		}
		if (name.compare(0, 2, "--") != 0) {
			if (!o.input.empty())
				fail("two inputs, %s and %s; one is accepted", o.input.c_str(), argv[i]);
			o.input = name;
			continue;
		}
		size_t equals = name.find('=');
		if (equals != std::string::npos) {
			value = name.substr(equals + 1);
			name.resize(equals);
		} else if (i + 1 < argc) {
			value = argv[++i];
		} else {
			fail("%s: unknown, or its value is missing; mpu --help lists the options", argv[i]);
		}
		option_set(o, name, value);
	}
	if (o.input.empty())
		fail("no input; usage: mpu [options] INPUT, and mpu --help for more");
	if (o.grid == 0 && (!o.mesh.empty() || !o.picture.empty()))
		o.grid = 256;
	if (o.grid && (o.part || o.ideal))
		fail("--part and --ideal refine only; they cannot be used with --mesh, --picture or --grid");
	return o;
}

} // namespace mpu
