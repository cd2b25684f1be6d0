/* Clock (floor: exec): see clock.h. */
#include "exec/thread/clock.h"

bool fg_clock_on;

void
fg_clock_switch_slow(struct fg_identity *self, struct fg_identity *next)
{
	fg_clock_out(self);
	fg_clock_in(next);
}
