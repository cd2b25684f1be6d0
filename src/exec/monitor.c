/* Monitor (floor: exec; design D6). */
#include "exec/monitor.h"

struct fg_atomic_u32 fg_monitor_awake;

void
fg_monitor_wake(void)
{
}

void
fg_monitor_enlist(struct fg_worker *worker)
{
	(void)worker;
}

void
fg_come_back(struct fg_identity *self)
{
	(void)self;
}
