/* Spawner (floor: exec): see spawner.h.
 *
 * fg_spawner_asked is 1 from a question on until the spawner has taken it up, before it looks what there is. Who asks
 * and the spawner both exchange it, so the questions and the takings have one order, and each of them sees the one
 * before it: a question that finds 1 comes before the taking of the older one, which acquires what it released, and the
 * look that follows finds it; one that finds 0 wakes the spawner. (A mere look at an older question might precede, for
 * other processors, what was written before it, and the spawner might not see that any more.) The spawner sleeps while
 * it is 0. What the system refuses is tried again at the next question, which the monitor asks in its next period. */
#define _GNU_SOURCE
#include "exec/watch/spawner.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/carrier.h"
#include "exec/ground/options.h"
#include "exec/relief/spare.h"
#include "exec/thread/donor.h"
#include "exec/thread/donor_pool.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/identity.h"
#include "exec/thread/worker.h"

#define RETRY_NS 2000000 /* after the system has refused one */

enum state { NONE, RUNS, TO_END };

static struct fg_atomic_u32 state; /* RUNS: by who starts it; NONE: also by itself, at its end */
static int spawner_tid;

/* Free donors that a preemption should find: more where threads are being preempted. */
FG_READS_HINTS static unsigned
stock_wanted(void)
{
	unsigned many = 4 * fg_exec_options.n_pus;
	for (struct fg_worker *worker = fg_load_acquire(&fg_all_workers); worker; worker = worker->all_next)
		if (worker->preempt.timer_on)
			return many < FG_STOCK_MAX ? many : FG_STOCK_MAX;
	return 2;
}

static void
spawner_main(void *arg)
{
	(void)arg;
	spawner_tid = (int)syscall(SYS_gettid);
	while (fg_load_acquire(&state) == RUNS) {
		fg_carrier->wait(&fg_spawner_asked, 0, 0);
		if (!fg_exchange_acquire(&fg_spawner_asked, 0))
			continue;
		fg_spare_make();
		if (!fg_identity_stock(stock_wanted()))
			fg_carrier->wait(&state, RUNS, RETRY_NS);
	}
	fg_store_release(&state, NONE);
	fg_carrier->wake(&state, 1);
}

int
fg_spawner_start(void)
{
	uint32_t none = NONE;
	if (!fg_cas_acq_rel(&state, &none, RUNS))
		return 0;
	int error = fg_carrier->start(spawner_main, NULL, "fg-spawner");
	if (error)
		fg_store_release(&state, NONE);
	return error;
}

void
fg_spawner_look(void)
{
	unsigned wanted = stock_wanted();
	if (fg_identity_stocked(wanted) < wanted)
		fg_spawner_ask();
}

void
fg_spawner_end(void)
{
	uint32_t runs = RUNS;
	if (!fg_cas_acq_rel(&state, &runs, TO_END))
		return;
	fg_carrier->wake(&state, 1);
	fg_spawner_ask();
	while (fg_load_acquire(&state) == TO_END)
		fg_carrier->wait(&state, TO_END, 0);
	fg_identity_gone(spawner_tid, FG_GONE_STEPS);
}

void
fg_spawner_after_fork(void)
{
	fg_store_relaxed(&state, NONE);
	fg_store_relaxed(&fg_spawner_asked, 0);
}
