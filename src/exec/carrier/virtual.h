/* The virtual carrier (floor: exec; see base/carrier.h): workers are contexts on one kernel thread, and a seed
 * chooses the next one (chosen by team/boot/start.c for FGOMP_CARRIER=virtual). virtual.c has the rules. */
#pragma once
#include "base/carrier.h"

extern const struct fg_carrier fg_carrier_virtual;

/* The seed that decides every choice. It must be set before any context is started. */
void fg_virtual_seed(uint64_t seed);
