// The command line of mpu, parsed and checked. Used by main.cpp.
#pragma once

#include "refine.h"

namespace mpu {

struct options {
	std::string input, mesh, picture;
	mpu::variant variant = VARIANT_NESTED;
	volume_options volume = {226, 1};
	double tolerance = 3e-3;
	int depth = 10, levels = 64, team = 4, threads = 0, repeat = 1;
	int part = 0, parts = 0, ideal = 0;
	int grid = 0, width = 800, pieces = 0;
	double azimuth = 35, elevation = 15;
	char up = 'z';
	bool json = false;
};

const char *variant_name(variant variant);

// Ends the program on --help, and on anything that it does not accept.
options options_parse(int argc, char **argv);

} // namespace mpu
