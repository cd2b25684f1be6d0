/* The watcher of FGOMP_STUCK (floor: exec): see stuck.h.
 *
 * The watcher starts when the runtime makes its first thread, and a child of fork gets a watcher of its own. It has
 * all signals blocked. It allocates nothing and takes no lock of the C library, because a thread that is stuck may
 * hold it. Donors do not end while it looks. */
#define _GNU_SOURCE
#include "exec/watch/stuck.h"

#include <pthread.h>
#include <signal.h>

#include "base/carrier.h"
#include "base/log.h"
#include "exec/ground/above.h"
#include "exec/ground/options.h"
#include "exec/thread/identity.h"
#include "exec/watch/stand.h"

#define LOOKS 8 /* looks within the time after which it reports */
#define PERIOD_MAX_NS 2000000000

enum { NONE, RUNS, OVER };

static struct fg_atomic_u32 state;
static struct fg_spinlock looking = FG_SPINLOCK_INIT(FG_RANK_MACHINE);
static uint64_t after;
static bool (*look)(uint64_t now);
static void (*forget)(struct fg_identity *identity);

static void
watcher_main(void *arg)
{
	(void)arg;
	uint64_t period = after / LOOKS < PERIOD_MAX_NS ? after / LOOKS : PERIOD_MAX_NS;
	while (fg_load_acquire(&state) == RUNS) {
		fg_carrier->wait(&state, RUNS, period);
		fg_spinlock_lock(&looking);
		uint64_t now = fg_carrier->now();
		fg_stand_count(now, after / 2);
		if (look(now))
			fg_store_release(&state, OVER);
		fg_spinlock_unlock(&looking);
	}
}

static void
watcher_start(void)
{
	uint32_t none = NONE;
	if (fg_load_relaxed(&state) != NONE || !fg_cas_acq_rel(&state, &none, RUNS))
		return;
	if (fg_carrier != &fg_carrier_live) {
		fg_error("FGOMP_STUCK has no effect here: it is for threads that really run, not for simulated ones");
		fg_store_release(&state, OVER);
		return;
	}
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (fg_carrier->start(watcher_main, NULL, "fg-stuck"))
		fg_store_release(&state, NONE); /* the next thread that is made tries again */
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void
on_made(struct fg_identity *donor)
{
	if (donor)
		fg_stand_made(donor);
	watcher_start();
}

static void
on_forget(struct fg_identity *identity)
{
	fg_spinlock_lock(&looking);
	fg_stand_gone(identity);
	fg_spinlock_unlock(&looking);
	if (forget)
		forget(identity);
}

void
fg_stuck_begin(uint64_t after_ns, bool (*look_with)(uint64_t now))
{
	after = after_ns;
	look = look_with;
	forget = fg_exec_above.forget;
	fg_exec_above.forget = on_forget;
	fg_exec_above.made = on_made;
	/* A thread that waits must sleep before the watcher reports, because a thread that spins does not show its
	 * reason. */
	if (fg_exec_options.spin_ns > after_ns / 4)
		fg_exec_options.spin_ns = after_ns / 4;
}

void
fg_stuck_after_fork(void)
{
	fg_stand_after_fork();
	fg_spinlock_init(&looking, FG_RANK_MACHINE);
	if (fg_load_relaxed(&state) == RUNS)
		fg_store_relaxed(&state, NONE);
}
