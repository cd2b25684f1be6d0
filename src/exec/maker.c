/* Maker (floor: exec): see maker.h.
 *
 * `asked` is 1 from a question on until the maker has taken it up, before it looks what there is. Who asks and the maker both exchange it, so the
 * questions and the takings have one order, and each of them sees the one before it: a question that finds 1 comes before the taking of the
 * older one, which acquires what it released, and the look that follows finds it; one that finds 0 wakes the maker. (A mere look
 * at an older question might precede, for other processors, what was written before it, and the maker might not see that any more.) The
 * maker sleeps while it is 0. What the system refuses is tried again at the next question, which the monitor asks in its next period. */
#define _GNU_SOURCE
#include "exec/maker.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/carrier.h"
#include "exec/identity.h"
#include "exec/options.h"
#include "exec/spare.h"
#include "exec/worker.h"

#define RETRY_NS 2000000 /* after the system has refused one */

enum state { NONE, RUNS, TO_END };

static struct fg_atomic_u32 state; /* RUNS: by who starts it; NONE: also by itself, at its end */
static struct fg_atomic_u32 asked;
static int maker_tid;

/* Free donors that a preemption should find: more where threads are being preempted. */
FG_READS_HINTS static unsigned
stock_wanted(void)
{
	unsigned many = 4 * fg_exec_options.n_pus;
	for (struct fg_worker *worker = fg_load_acquire(&fg_workers); worker; worker = worker->all_next)
		if (worker->timer_on)
			return many < FG_STOCK_MAX ? many : FG_STOCK_MAX;
	return 2;
}

static void
maker_main(void *arg)
{
	(void)arg;
	maker_tid = (int)syscall(SYS_gettid);
	while (fg_load_acquire(&state) == RUNS) {
		fg_carrier->wait(&asked, 0, 0);
		if (!fg_exchange_acquire(&asked, 0))
			continue;
		fg_spare_make();
		if (!fg_identity_stock(stock_wanted()))
			fg_carrier->wait(&state, RUNS, RETRY_NS);
	}
	fg_store_release(&state, NONE);
	fg_carrier->wake(&state, 1);
}

int
fg_maker_start(void)
{
	uint32_t none = NONE;
	if (!fg_cas_acq_rel(&state, &none, RUNS))
		return 0;
	int error = fg_carrier->start(maker_main, NULL, "fg-maker");
	if (error)
		fg_store_release(&state, NONE);
	return error;
}

void
fg_maker_ask(void)
{
	if (fg_exchange_acq_rel(&asked, 1) == 0)
		fg_carrier->wake(&asked, 1);
}

void
fg_maker_look(void)
{
	unsigned wanted = stock_wanted();
	if (fg_identity_stocked(wanted) < wanted)
		fg_maker_ask();
}

void
fg_maker_end(void)
{
	uint32_t runs = RUNS;
	if (!fg_cas_acq_rel(&state, &runs, TO_END))
		return;
	fg_carrier->wake(&state, 1);
	fg_maker_ask();
	while (fg_load_acquire(&state) == TO_END)
		fg_carrier->wait(&state, TO_END, 0);
	fg_identity_gone(maker_tid, FG_GONE_STEPS);
}

void
fg_maker_after_fork(void)
{
	fg_store_relaxed(&state, NONE);
	fg_store_relaxed(&asked, 0);
}
