/* A donor ends while another thread reads the running thread of the worker that has just left it.
 *
 * Sources: base/lock_order.c base/spinlock.c exec/thread/identity.c
 * Constants: exec/thread/identity.c UNREAD_LOOKS=0
 */
#include "base/spinlock.h"
#include "exec/ground/options.h"
#include "exec/thread/whole_worker.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "interleave/model.h"
#include "platform/pthread.h"

struct fg_exec_options fg_exec_options;

static struct fg_spinlock pool = FG_SPINLOCK_INIT(FG_RANK_POOL);
static struct fg_whole_worker whole;
static struct fg_identity donor, other, *pooled;

size_t
fg_stack_limit(void)
{
	return 0;
}

bool
fg_pthread_stack(uintptr_t *low, size_t *size)
{
	*low = *size = 0;
	return false;
}

static void
setup(void)
{
	fg_store_relaxed(&whole.worker.current, &donor);
}

/* The worker leaves the donor, which goes to the common pool. */
static void
leaves(void)
{
	fg_store_relaxed(&whole.worker.current, &other);
	fg_spinlock_lock(&pool);
	pooled = &donor;
	fg_spinlock_unlock(&pool);
}

/* The plain store stands for the end of the donor's memory. */
static void
ends(void)
{
	fg_spinlock_lock(&pool);
	struct fg_identity *taken = pooled;
	fg_spinlock_unlock(&pool);
	if (taken && fg_identities_unread())
		taken->kind = FG_DONOR;
}

static void
reads(void)
{
	fg_identities_read();
	const struct fg_identity *thread = fg_load_relaxed(&whole.worker.current);
	model_assert(thread->kind == FG_HOME || thread->kind == FG_DONOR);
	fg_identities_read_end();
}

MODEL_SCENARIO(unread, .setup = setup, .thread = {leaves, ends, reads},
	       .broken = MODEL_BROKEN("drop fg_identities_read:add_relaxed", "drop fg_identities_read:fence_seq_cst",
				      "drop fg_identities_unread:fence_seq_cst",
				      "weaken fg_identities_read_end:sub_acq_rel",
				      "weaken fg_identities_unread:load_acquire"));

/* In the child of a fork, a reader of the parent is no more. */
static void
forks(void)
{
	fg_identities_read();
	fg_identities_after_fork();
	model_assert(fg_identities_unread());
}

MODEL_SCENARIO(unread_fork, .thread = {forks},
	       .broken = MODEL_BROKEN("drop fg_identities_after_fork:store_relaxed"));
