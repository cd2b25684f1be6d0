/* The carrier that the process has (floor: base): see carrier.h. */
#include "base/carrier.h"

const struct fg_carrier *fg_carrier = &fg_carrier_live;
