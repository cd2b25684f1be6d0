/* Haste (floor: sched): see haste.h. */
#include "sched/haste.h"

#include "sched/policy.h"

#define HASTE_US 10

bool
fg_haste_look(void)
{
	uint32_t now = (uint32_t)(fgomp_sched_now() / 1000) * 32, last = fg_sched_thread.haste & ~31u;
	fg_sched_thread.haste = now + (now - last < HASTE_US * 32 ? FG_HASTE_SKIPS : 0);
	return false;
}
