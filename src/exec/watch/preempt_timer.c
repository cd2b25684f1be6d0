/* Timers of preemption (floor: exec): see preempt_timer.h. */
#define _GNU_SOURCE
#include "exec/watch/preempt_timer.h"

#include "exec/ground/options.h"
#include "exec/thread/worker_parts.h"
#include "exec/thread/worker_state.h"
#include "platform/sandbox.h"
#include "platform/thread_timer.h"

const char fg_preempt_mark;

void
fg_preempt_timer_drop(struct fg_worker *worker)
{
	if (fg_parts(worker)->preempt.timer_tid && fg_parts(worker)->preempt.timer_ticks)
		fg_tick_close(&fg_parts(worker)->preempt.tick);
	else if (fg_parts(worker)->preempt.timer_tid && fg_sandbox_allows(FG_SANDBOX_SIGNALS))
		fg_thread_timer_delete(fg_parts(worker)->preempt.timer);
	assert(fg_parts(worker)->preempt.timer_tid || !worker->timer_on);
	fg_parts(worker)->preempt.timer_tid = 0;
	worker->timer_on = false;
}

static bool
timer_make(struct fg_worker *worker, int number)
{
	/* A timer that was made before there were ticks gives way to one. */
	bool is_best = fg_parts(worker)->preempt.timer_ticks ? fg_tick_is_open(&fg_parts(worker)->preempt.tick)
							     : !fg_tick_is_ready() || number >= __SIGRTMIN;
	if (fg_parts(worker)->preempt.timer_tid == worker->tid && fg_parts(worker)->preempt.timer_signal == number &&
	    is_best)
		return true;
	fg_preempt_timer_drop(worker);
	if (!number)
		return false;
	fg_parts(worker)->preempt.timer_signal = number;
	fg_parts(worker)->preempt.timer_ticks = fg_tick_open(&fg_parts(worker)->preempt.tick, worker->tid, number);
	if (fg_parts(worker)->preempt.timer_ticks) {
		fg_parts(worker)->preempt.timer_tid = worker->tid;
		return true;
	}
	bool made = fg_thread_timer_make(&fg_parts(worker)->preempt.timer, worker->tid, number, &fg_preempt_mark);
	fg_parts(worker)->preempt.timer_tid = made ? worker->tid : 0;
	return fg_parts(worker)->preempt.timer_tid != 0;
}

static bool
timer_set(struct fg_worker *worker, bool on)
{
	assert(fg_parts(worker)->preempt.timer_tid && worker->timer_on != on);
	if (fg_parts(worker)->preempt.timer_ticks)
		return fg_tick_run(&fg_parts(worker)->preempt.tick, on);
	return fg_thread_timer_set(fg_parts(worker)->preempt.timer, on ? fg_exec_options.slice_ns : 0);
}

void
fg_preempt_timer_turn(struct fg_worker *worker, bool on, int number)
{
	if (!timer_make(worker, number) || worker->timer_on == on)
		return;
	if (timer_set(worker, on))
		worker->timer_on = on;
	else /* its kernel thread has ended and the number came back, or the program closed the file */
		fg_preempt_timer_drop(worker);
}
