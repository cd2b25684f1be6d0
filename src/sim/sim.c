/* The simulated machine's state (floor: sim): see sim.h. */
#include "sim/sim.h"
#include "platform/thread.h"

struct fg_sim fg_sim;

unsigned
fg_sim_distance(unsigned from, unsigned to)
{
	unsigned hops = fg_model_hops(&fg_sim.model, from, to);
	return hops ? fg_sim.model.machine->max_depth + hops - 1 : fg_machine_distance(fg_sim.model.machine, from, to);
}

bool
fg_carrier_sim_is_first(void)
{
	return fg_thread_id() == fg_sim.pid;
}
