/* The virtual carrier (floor: exec; see base/carrier.h): workers are contexts on one kernel thread, a seed chooses the next. */
#pragma once
#include "base/carrier.h"

extern const struct fg_carrier fg_carrier_virtual;

/* The seed that decides every choice; to be set before anything is started. */
void fg_virtual_seed(uint64_t seed);
