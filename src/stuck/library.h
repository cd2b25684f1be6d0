/* Library: what this object uses of the library that has opened it (floor: stuck; used by most files of stuck). The
 * object also has some files of `platform` of its own, which keep no state (src/stuck/meson.build). */
#pragma once
#include "team/stuck.h"

extern const struct fg_stuck_library *fg_library;
