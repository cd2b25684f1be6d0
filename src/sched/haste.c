/* Haste (floor: sched): see haste.h. */
#include "sched/haste.h"

#include "base/carrier.h"

#define HASTE_US 10

__thread struct fg_sched_thread fg_sched_thread;

bool
fg_haste_look(void)
{
	uint32_t now = (uint32_t)(fg_carrier->now() / 1000) * 32, last = fg_sched_thread.haste & ~31u;
	fg_sched_thread.haste = now + (now - last < HASTE_US * 32 ? FG_HASTE_SKIPS : 0);
	return false;
}
