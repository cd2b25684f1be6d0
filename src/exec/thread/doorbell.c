/* Doorbell (floor: exec): see doorbell.h. */
#include "exec/thread/doorbell.h"

#include "base/carrier.h"
#include "exec/ground/hooks.h"

struct fg_doorbell fg_doorbell;

void
fg_doorbell_wake(void)
{
	fg_exec_hooks.monitor_wake();
}

void
fg_doorbell_start(struct fg_identity *self)
{
	fg_exec_hooks.monitor_start(self);
}

void
fg_spawner_ask(void)
{
	if (fg_exchange_acq_rel(&fg_doorbell.spawner_asked, 1) == 0)
		fg_carrier->wake(&fg_doorbell.spawner_asked, 1);
}
