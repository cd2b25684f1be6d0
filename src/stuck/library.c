/* The library that has opened this object (floor: stuck): see library.h. */
#include "stuck/library.h"

const struct fg_stuck_library *fg_library;
