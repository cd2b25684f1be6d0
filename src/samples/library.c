/* The library that has opened this object (floor: samples): see library.h. */
#include "samples/library.h"

const struct fg_samples_library *fg_samples_host;
