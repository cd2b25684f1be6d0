/* Clock (floor: exec): see clock.h. */
#include "exec/thread/clock.h"

bool fg_clock_on;
