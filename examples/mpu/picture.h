// The picture: a mesh drawn into a square of pixels, and its PNG. Used by main.cpp.
#pragma once

#include "mesh.h"

namespace mpu {

struct picture {
	int width, height;
	std::vector<uint8_t> rgb;
};

// The eye is at the given azimuth (degrees from +y towards +x) and elevation; z points up.
picture picture_draw(const mesh &mesh, int width, double azimuth, double elevation);

void picture_write(const picture &picture, const std::string &path);

} // namespace mpu
