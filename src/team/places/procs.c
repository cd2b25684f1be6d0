/* The number of CPUs of the caller (floor: team): see procs.h. */
#include "team/places/procs.h"

#include <sched.h>
#include <string.h>

#include "exec/thread/identity.h"
#include "machine/load.h"
#include "platform/affinity.h"
#include "platform/process.h"
#include "team/env/icv.h"
#include "team/places/list.h"

/* The CPUs that the caller may use. A worker's own mask does not tell them, because it may be bound to a single PU.
 * The process's main thread is bound only where the user asked for it; then the mask at load time counts. */
static bool
usable_cpus(cpu_set_t *mask)
{
	struct fg_identity *self = fg_self();
	if (fg_place_list.count)
		*mask = fg_place_list.start_mask;
	else if (fg_affinity_get(self && !self->root ? fg_process_id() : 0, sizeof *mask, mask) != 0)
		return false;
	return true;
}

unsigned
fg_icv_num_procs(void)
{
	cpu_set_t mask;
	if (fg_place_list.count || !usable_cpus(&mask))
		return fg_env.num_procs;
	unsigned count = (unsigned)CPU_COUNT(&mask);
	return count ? count : 1;
}

static unsigned
dynamic_limit(void)
{
	unsigned procs = fg_icv_num_procs();
	struct fg_cpuset usable;
	cpu_set_t mask;
	if (!usable_cpus(&mask))
		return procs;
	fg_cpuset_clear(&usable);
	memcpy(usable.bits, &mask, sizeof mask);
	double others = fg_load_others(&usable) + 0.5;
	return others >= procs ? 1 : procs - (unsigned)others;
}

/* The load stands in files. */
unsigned
fg_icv_dynamic_limit(void)
{
	struct fg_identity *self = fg_self();
	bool inside = fg_step_out(self);
	unsigned limit = dynamic_limit();
	fg_step_in(self, inside);
	return limit;
}
