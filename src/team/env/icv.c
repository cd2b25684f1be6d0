/* ICVs of a data environment: shared until written, private afterwards (floor: team; called by region, tasks and gomp). */
#include "team/env/icv.h"
#include "base/log.h"
#include "exec/identity.h"
#include "machine/load.h"
#include "platform/memory.h"
#include "team/places/list.h"
#include <sched.h>
#include <string.h>
#include <unistd.h>

const struct fg_icv *
fg_icv_current(void)
{
	struct fg_identity *self = fg_self();
	return self && self->thread.icv ? self->thread.icv : &fg_env.icv;
}

/* Where there is no memory. */
static struct fg_icv reserve[64];
static struct fg_atomic_u32 reserve_taken[64];

static struct fg_icv *
reserve_take(void)
{
	for (unsigned i = 0; i < sizeof reserve / sizeof *reserve; i++)
		if (!fg_load_relaxed(&reserve_taken[i]) && !fg_exchange_acquire(&reserve_taken[i], 1))
			return &reserve[i];
	fg_fatal("Out of memory allocating %zu bytes", sizeof *reserve);
}

static void
copy_free(struct fg_icv *icv)
{
	size_t i = (size_t)(icv - reserve);
	if (icv >= reserve && i < sizeof reserve / sizeof *reserve)
		fg_store_release(&reserve_taken[i], 0);
	else
		fg_memory_free(icv);
}

struct fg_icv *
fg_icv_writable(struct fg_identity *self)
{
	struct fg_icv *icv = self->thread.icv;
	if (icv && icv->private_copy)
		return icv;
	struct fg_icv *copy = fg_memory_get(sizeof *copy);
	if (!copy)
		copy = reserve_take();
	*copy = icv ? *icv : fg_env.icv;
	copy->private_copy = true;
	self->thread.icv = copy;
	return copy;
}

void
fg_icv_release(struct fg_identity *self)
{
	struct fg_icv *icv = self->thread.icv;
	self->thread.icv = NULL;
	if (icv && icv->private_copy)
		copy_free(icv);
}

struct fg_icv *
fg_icv_inherit_slow(struct fg_icv *outer, unsigned level, unsigned clause, struct fg_icv *own)
{
	struct fg_icv icv = *outer;
	icv.private_copy = false;
	if (level < fg_env.nthreads_list_len)
		icv.nthreads = fg_env.nthreads_list[level];
	icv.bind = (unsigned char)fg_icv_bind(&icv, clause);
	if (level < fg_env.bind_list_len)
		icv.bind = fg_env.bind_list[level];
	/* Members of a hot team read it on their own PUs: leave its line alone where nothing changes. */
	if (memcmp(own, &icv, sizeof icv) != 0)
		memcpy(own, &icv, sizeof icv);
	return own;
}

/* The CPUs that the caller may use. A worker's own mask says nothing: it may be bound to a single PU. The process's main thread is
 * bound only where the user asked for it, and then the mask at load time counts. */
static bool
usable_cpus(cpu_set_t *mask)
{
	struct fg_identity *self = fg_self();
	if (fg_place_count)
		*mask = fg_start_mask;
	else if (sched_getaffinity(self && !self->root ? getpid() : 0, sizeof *mask, mask) != 0)
		return false;
	return true;
}

unsigned
fg_icv_num_procs(void)
{
	cpu_set_t mask;
	if (fg_place_count || !usable_cpus(&mask))
		return fg_env.num_procs;
	unsigned count = (unsigned)CPU_COUNT(&mask);
	return count ? count : 1;
}

unsigned
fg_icv_dynamic_limit(void)
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
