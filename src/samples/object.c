/* The table that the library gets (floor: samples): see walk.h. */
#include "base/export.h"
#include "samples/lines.h"
#include "samples/walk.h"

FG_EXPORT const struct fg_samples_object fg_samples_object = {
	.layout = FG_SAMPLES_LAYOUT,
	.version = FG_VERSION,
	.begin = fg_lines_may_read,
	.walk = fg_walk,
};
