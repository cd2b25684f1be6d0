/* Told (floor: sim): see told.h. */
#include "sim/told.h"

#include "exec/ground/above.h"
#include "exec/ground/options.h"
#include "sim/sim.h"

uint64_t
fg_told_remote(unsigned pu)
{
	return pu < fg_sim.n_pus ? fg_sim.pus[pu].events[FG_COUNT_REMOTE] : 0;
}

static bool
of_pu(enum fg_event_kind kind, unsigned pu, uint64_t *n)
{
	*n = fg_sim.pus[pu].events[kind];
	return true;
}

static bool
of_caller(enum fg_event_kind kind, uint64_t *n)
{
	*n = fg_sim.here[kind];
	return true;
}

void
fg_told_counts(void)
{
	static const struct fg_counters own = {.of_pu = of_pu, .of_caller = of_caller};
	fg_counters = &own;
}

/* After so much time in its data, the PU makes a sample for FGOMP_MEMORY. */
void
fg_told_sample(const void *range, uintptr_t at, bool writes, uint64_t ns)
{
	struct fg_sim_pu *pu = &fg_sim.pus[fg_sim.pu];
	pu->since_sample += ns;
	if (pu->since_sample < fg_exec_options.sample_ns)
		return;
	unsigned times = (unsigned)(pu->since_sample / fg_exec_options.sample_ns);
	pu->since_sample %= fg_exec_options.sample_ns;
	if (at < (uintptr_t)range)
		at = (uintptr_t)range;
	fg_exec_above.touched(at, fg_sim.node_number[fg_model_node(&fg_sim.model, fg_sim.pu)], writes, times);
}
