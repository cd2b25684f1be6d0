// Writes a picture as PNG, by libpng. Used by main.cpp.
#include <png.h>

#include "picture.h"

namespace mpu {

void
picture_write(const picture &picture, const std::string &path)
{
	png_image image = {};
	image.version = PNG_IMAGE_VERSION;
	image.width = (png_uint_32)picture.width;
	image.height = (png_uint_32)picture.height;
	image.format = PNG_FORMAT_RGB;
	if (!png_image_write_to_file(&image, path.c_str(), 0, picture.rgb.data(), 0, nullptr))
		fail("%s: could not be written: %s", path.c_str(), image.message);
}

} // namespace mpu
