/* Spawner (floor: exec): see spawner.h.
 *
 *     fg_doorbell.spawner_asked == 1  <=>  a request is not taken up yet
 *
 * The spawner takes a request up before it looks which donors and spares there are. It sleeps while the word is 0.
 * The thread that asks and the spawner both exchange the word. So the requests and the takings have one order, and
 * each of them sees the one before it. Proof that no request is lost:
 * - A request that finds 1 comes before the taking of the older request. The taking acquires what the request
 * released, so the look that follows finds it.
 * - A request that finds 0 wakes the spawner.
 *
 * A mere load of the word would not do instead of the exchange. For other processors it might precede earlier stores
 * of the thread that asks, and the spawner might miss these.
 *
 * If the system refuses a thread, the spawner tries again at the next request. The monitor makes one in its next
 * period. */
#define _GNU_SOURCE
#include "exec/watch/spawner.h"

#include "base/atomic.h"
#include "base/carrier.h"
#include "exec/body/kernel_thread.h"
#include "exec/donor/donor.h"
#include "exec/donor/donor_pool.h"
#include "exec/ground/options.h"
#include "exec/relief/hold.h"
#include "exec/relief/spare.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/facts.h"
#include "exec/thread/identity.h"
#include "platform/thread.h"
#include "platform/tick.h"

#define RETRY_NS 2000000 /* after the system has refused a thread */
#define UNUSED_NS 1000000000

enum state { NONE, RUNS, TO_END };

static struct {
	/* RUNS: set by the thread that starts it; NONE: also by itself, at its end. */
	struct fg_atomic_u32 state;
	struct fg_atomic_u32 there; /* 1: it was started, and did not end */
	int tid;
	uint64_t look_at; /* when it looks for unused donors; 0: at a request */
} spawner;

/* The number of free donors that a preemption should find: more where threads are being preempted. */
static unsigned
stock_wanted(void)
{
	unsigned many = 2 * fg_exec_options.n_pus;
	if (!fg_worker_ticks())
		return FG_STOCK_MIN;
	return many < FG_STOCK_MAX ? many : FG_STOCK_MAX;
}

/* Ends donors that nothing has used for a period. Returns the time until the next look; 0: a request will tell. */
static uint64_t
look_for_unused(void)
{
	uint64_t now = fg_carrier->now();
	if (now >= spawner.look_at) {
		bool more = fg_hold_roots_rest();
		spawner.look_at = fg_donor_end_unused(stock_wanted()) || more ? now + UNUSED_NS : 0;
	}
	return spawner.look_at ? spawner.look_at - now : 0;
}

static void
spawner_main(void *arg)
{
	(void)arg;
	spawner.tid = fg_thread_id();
	/* A spawner before this one may have been about to look. 0: at the next request. */
	uint64_t look_in = look_for_unused();
	while (fg_load_acquire(&spawner.state) == RUNS) {
		if (fg_exec_options.slice_ns)
			fg_tick_prepare();
		fg_carrier->wait(&fg_doorbell.spawner_asked, 0, look_in);
		bool asked = fg_exchange_acquire(&fg_doorbell.spawner_asked, 0);
		look_in = look_for_unused();
		if (!asked)
			continue;
		fg_spare_make();
		if (!fg_donor_stock(stock_wanted()))
			fg_carrier->wait(&spawner.state, RUNS, RETRY_NS);
	}
	assert(fg_load_stable(&spawner.state) == TO_END);
	fg_tick_forget();
	fg_store_release(&spawner.state, NONE);
	fg_carrier->wake(&spawner.state, 1);
}

bool
fg_spawner_is_there(void)
{
	return fg_load_acquire(&spawner.there);
}

int
fg_spawner_start(void)
{
	uint32_t none = NONE;
	if (!fg_cas_acq_rel(&spawner.state, &none, RUNS))
		return 0;
	int error = fg_carrier->start(spawner_main, NULL, "fg-spawner");
	if (error)
		fg_store_release(&spawner.state, NONE);
	else
		fg_store_release(&spawner.there, 1);
	return error;
}

void
fg_spawner_look(void)
{
	if (fg_donor_pool_stocked() < stock_wanted())
		fg_spawner_ask();
}

void
fg_spawner_end(void)
{
	uint32_t runs = RUNS;
	if (!fg_cas_acq_rel(&spawner.state, &runs, TO_END))
		return;
	fg_store_relaxed(&spawner.there, 0);
	fg_carrier->wake(&spawner.state, 1);
	fg_spawner_ask();
	while (fg_load_acquire(&spawner.state) == TO_END)
		fg_carrier->wait(&spawner.state, TO_END, 0);
	fg_kernel_thread_gone(spawner.tid, FG_GONE_STEPS);
}

void
fg_spawner_after_fork(void)
{
	fg_tick_forget();
	fg_store_relaxed(&spawner.state, NONE);
	fg_store_relaxed(&spawner.there, 0);
	fg_store_relaxed(&fg_doorbell.spawner_asked, 0);
}
