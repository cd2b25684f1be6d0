/* Library: what this object uses of the library that has opened it (floor: samples; used by most files of samples).
 * The object also has some files of `platform` of its own, which keep no state (src/samples/meson.build). */
#pragma once
#include "team/samples.h"

/* NULL in a test of the walk. */
extern const struct fg_samples_library *fg_samples_host;
