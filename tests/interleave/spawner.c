/* The spawner makes a thing that was missing before a question, even if it is taking up an older question at that
 * moment.
 *
 * Sources: exec/thread/doorbell.c exec/watch/spawner.c platform/thread.c
 * Wraps: syscall
 */
#include "exec/donor/donor.h"
#include "exec/donor/donor_pool.h"
#include "exec/ground/hooks.h"
#include "exec/ground/options.h"
#include "exec/relief/hold.h"
#include "exec/relief/spare.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/facts.h"
#include "exec/thread/identity.h"
#include "exec/watch/spawner.h"
#include "platform/sandbox.h"
#include "platform/tick.h"
#include "interleave/model.h"

struct fg_exec_options fg_exec_options;
const struct fg_exec_hooks fg_exec_hooks;

#define KINDS 2
static struct fg_atomic_u32 missing[KINDS], made[KINDS];

void
fg_spare_make(void)
{
	for (unsigned k = 0; k < KINDS; k++)
		if (fg_load_relaxed(&missing[k]) && !fg_load_relaxed(&made[k])) {
			fg_store_relaxed(&made[k], 1);
			fg_carrier->wake(&made[k], 1);
		}
}

bool
fg_donor_stock(unsigned wanted)
{
	(void)wanted;
	return true;
}

unsigned
fg_donor_pool_stocked(void)
{
	return FG_STOCK_MIN;
}

bool
fg_donor_end_unused(unsigned kept)
{
	(void)kept;
	return false;
}

bool
fg_sandbox_allows(enum fg_sandbox_call call)
{
	(void)call;
	return false;
}

void
fg_tick_prepare(void)
{
}

void
fg_tick_forget(void)
{
}

bool
fg_hold_roots_rest(void)
{
	return false;
}

bool
fg_worker_ticks(void)
{
	return false;
}

bool
fg_kernel_thread_gone(int tid, unsigned steps)
{
	(void)tid, (void)steps;
	return true;
}

long
__wrap_syscall(long number, ...)
{
	(void)number;
	return 1000 + model_self();
}

static void
miss(unsigned k)
{
	fg_store_relaxed(&missing[k], 1);
	fg_spawner_ask();
	while (!fg_load_relaxed(&made[k]))
		fg_carrier->wait(&made[k], 0, 0);
}

static void
first(void)
{
	model_assert(fg_spawner_start() == 0);
	miss(0);
}

static void
second(void)
{
	miss(1);
}
MODEL_SCENARIO(spawner, .thread = {first, second},
	       .broken = MODEL_BROKEN("weaken fg_spawner_ask:exchange_acq_rel", "drop fg_spawner_ask:exchange_acq_rel",
				      "weaken spawner_main:exchange_acquire", "drop wake"));

/* The spawner ends while a thread asks. */
static void
ends(void)
{
	model_assert(fg_spawner_start() == 0);
	fg_spawner_end();
	model_assert(fg_spawner_start() == 0);
	miss(0);
}

static void
asks(void)
{
	fg_spawner_ask();
}
MODEL_SCENARIO(spawner_ends, .thread = {ends, asks},
	       .broken = MODEL_BROKEN("drop fg_spawner_end:cas_acq_rel", "drop wake"));
