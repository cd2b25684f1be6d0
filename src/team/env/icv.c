/* ICVs of a data environment (floor: team): see icv.h. */
#include "team/env/icv.h"
#include "base/log.h"
#include "exec/thread/identity.h"
#include "machine/quota.h"
#include "platform/memory.h"
#include <limits.h>
#include <pthread.h>
#include <string.h>

struct fg_env fg_env = {
	.icv = {.thread_limit = UINT_MAX,
		.max_active_levels = 1,
		.run_sched = FG_DYNAMIC,
		.run_sched_chunk = 1,
		.default_allocator = FG_ALLOCATOR_DEFAULT},
	.wait_policy = -1,
	.num_procs = 1,
};

static struct {
	/* The number of threads of a team where nothing else says it. */
	struct fg_atomic_u32 nthreads; /* 0: not computed yet */
	pthread_once_t once;
	/* Copies for the case that there is no memory. */
	struct fg_icv reserve[64];
	struct fg_atomic_u32 taken[64];
} icvs = {.once = PTHREAD_ONCE_INIT};

/* The control groups may grant less time than there are CPUs. More threads than that would stop together for a part
 * of each period, and hinder each other. */
static void
nthreads_find(void)
{
	unsigned long quota = (fg_cpu_quota_milli() + 999) / 1000;
	fg_store_release(&icvs.nthreads, quota && quota < fg_env.num_procs ? (uint32_t)quota : fg_env.num_procs);
}

unsigned
fg_env_nthreads(struct fg_identity *self)
{
	if (fg_load_acquire(&icvs.nthreads))
		return fg_load_relaxed(&icvs.nthreads);
	bool inside = fg_step_out(self); /* the quota stands in files */
	pthread_once(&icvs.once, nthreads_find);
	fg_step_in(self, inside);
	return fg_load_relaxed(&icvs.nthreads);
}

const struct fg_icv *
fg_icv_current(void)
{
	struct fg_identity *self = fg_self();
	return self && self->thread.icv ? self->thread.icv : &fg_env.icv;
}

static struct fg_icv *
reserve_take(void)
{
	for (unsigned i = 0; i < sizeof icvs.reserve / sizeof *icvs.reserve; i++)
		if (!fg_load_relaxed(&icvs.taken[i]) && !fg_exchange_acquire(&icvs.taken[i], 1))
			return &icvs.reserve[i];
	fg_fatal("Out of memory allocating %zu bytes", sizeof *icvs.reserve);
}

static void
copy_free(struct fg_icv *icv)
{
	size_t i = (size_t)(icv - icvs.reserve);
	if (icv >= icvs.reserve && i < sizeof icvs.reserve / sizeof *icvs.reserve)
		fg_store_release(&icvs.taken[i], 0);
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
	/* Members of a hot team read *own on their own PUs. Leave its cache line alone where nothing changes. */
	if (memcmp(own, &icv, sizeof icv) != 0)
		memcpy(own, &icv, sizeof icv);
	return own;
}
