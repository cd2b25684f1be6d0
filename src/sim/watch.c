/* Watchdog (floor: sim): a real thread that keeps the simulated machine going where the program does not enter the
 * runtime. The program may compute for long, spin for another thread, or be blocked in a lock of the C library. The
 * watchdog uses the signal of exec's preempt.c, and the same rules: it never interrupts the runtime, nor a thread that
 * is blocked elsewhere than in a futex.
 *
 * A thread that computes is charged for that, and those behind it in time go first. A thread that spins or is blocked
 * is charged nothing: it waits until the others have gone on. When the time slice of a thread is over, it gives way to
 * those that wait for its PU, as on a live run. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>

#include "base/atomic_charged.h"
#include "base/log.h"
#include "exec/loop/loop.h"
#include "exec/watch/kernel_state.h"
#include "exec/ground/options.h"
#include "platform/file.h"
#include "platform/interrupted.h"
#include "platform/kernel_mask.h"
#include "platform/process.h"
#include "platform/pthread.h"
#include "platform/signal_action.h"
#include "platform/system_clock.h"
#include "platform/thread.h"
#include "sim/sim.h"
#include "sim/stopwatch.h"

#define PERIOD_NS 2000000
#define TELL_TURNS 50 /* periods between two notes of the time */
#define STACK_BYTES ((size_t)8 << 20)

static struct {
	uint64_t slice_began, laps_met, looks_met, ran_met;
	int file;
	bool tried;
} look = {.file = -1};

/* The thread waits for another thread. */
static void
give_way(struct fg_identity *self)
{
	fg_sim.preempted++;
	fg_stopwatch_start();
	fg_sim_wait_turn();
	fg_worker_preempt(self);
}

/* The thread computes. Where work is given, no time passes meanwhile. */
static void
give_slice(struct fg_identity *self)
{
	fg_stopwatch_stop();
	fg_sim.preempted++;
	fg_sim.busy = true;
	fg_sim_lap(false);
	fg_sim_let_others();
	fg_stopwatch_start();
	fg_sim.busy = false;
	if (fg_exec_options.slice_ns && fg_sim.clock - look.slice_began > fg_exec_options.slice_ns) {
		look.slice_began = fg_sim.clock;
		fg_worker_preempt(self);
	}
}

static void
on_signal(int number, siginfo_t *info, void *context)
{
	(void)number;
	int saved = errno;
	struct fg_identity *self = fg_self();
	if (fg_sim.busy || !self || fg_own_load_relaxed(&self->in_runtime) || !self->worker ||
	    info->si_pid != fg_process_id())
		return;
	/* Only two looks in one stretch tell whether a thread spins, and only if the system has let it run in
	 * between. */
	bool again = look.laps_met == fg_stopwatch.laps;
	uint64_t ran = fg_system_clock(CLOCK_THREAD_CPUTIME_ID);
	if (again && ran - look.ran_met < PERIOD_NS / 4)
		return;
	/* A thread that looks at the runtime's lines is no spinner. Where computing is timed, it meets the others at
	 * those lines. */
	bool may_spin = fg_sim.given || look.looks_met == fg_stopwatch_looks();
	look.laps_met = fg_stopwatch.laps;
	look.looks_met = fg_stopwatch_looks();
	look.ran_met = ran;
	fg_own_store_relaxed(&self->in_runtime, 1);
	struct fg_interrupted before = self->preempt.interrupted;
	self->preempt.interrupted = fg_interrupted_at(context);
	if (!again)
		;
	else if (may_spin && fg_interrupted_spins(before, self->preempt.interrupted))
		give_way(self);
	else if (!fg_sim.given)
		give_slice(self);
	fg_own_store_release(&self->in_runtime, 0);
	fg_stopwatch_in_program();
	errno = saved;
}

/* The command reads how far the run is. */
static void
tell_time(void)
{
	const char *path = getenv("FGSIM_PROGRESS");
	if (!look.tried && path)
		look.file = fg_file_open(path, O_WRONLY);
	look.tried = true;
	uint64_t now = fg_sim.clock;
	ssize_t ignored = look.file >= 0 ? fg_file_write_at(look.file, &now, sizeof now, 0) : 0;
	(void)ignored;
}

static void *
watch(void *arg)
{
	int process = fg_process_id();
	uint64_t seen = 0;
	(void)arg;
	for (unsigned turn = 0;; turn++) {
		fg_system_clock_sleep(PERIOD_NS);
		if (turn % TELL_TURNS == 0)
			tell_time();
		uint64_t laps = fg_stopwatch.laps;
		if (laps == seen && fg_kernel_state_may_signal(process))
			fg_thread_signal_value(process, fg_exec_options.signal, NULL);
		seen = laps;
	}
	return NULL;
}

void
fg_watch_start(void)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER};
	uint64_t mask = fg_mask_now();
	sigemptyset(&action.sa_mask);
	fg_signal_action(fg_exec_options.signal, &action, NULL);
	fg_mask_set(FG_MASK_ALL);
	if (fg_pthread_make(STACK_BYTES, watch, NULL) != 0)
		fg_error("Simulated machine: no thread for the watchdog; a program that waits in its own code will "
			 "wait for ever");
	fg_mask_set(mask);
}
