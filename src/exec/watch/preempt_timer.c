/* Timers of preemption (floor: exec): see preempt_timer.h. */
#define _GNU_SOURCE
#include "exec/watch/preempt_timer.h"

#include <assert.h>
#include <signal.h>

#include "exec/ground/options.h"
#include "exec/thread/parts_state.h"
#include "platform/sandbox.h"
#include "platform/thread_timer.h"

const char fg_preempt_mark, fg_sample_mark;

void
fg_preempt_timer_drop(struct fg_preempting *timer, bool *is_on)
{
	if (timer->timer_tid && timer->timer_ticks)
		fg_tick_close(&timer->tick);
	else if (timer->timer_tid && fg_sandbox_allows(FG_SANDBOX_SIGNALS))
		fg_thread_timer_delete(timer->timer);
	assert(timer->timer_tid || !*is_on);
	timer->timer_tid = 0;
	*is_on = false;
}

static bool
timer_make(struct fg_preempting *timer, bool *is_on, int tid, int number)
{
	/* A timer that was made before there were ticks gives way to one. */
	bool is_best = timer->timer_ticks ? fg_tick_is_open(&timer->tick) : !fg_tick_is_ready() || number >= __SIGRTMIN;
	if (timer->timer_tid && timer->timer_tid == tid && timer->timer_signal == number && is_best)
		return true;
	fg_preempt_timer_drop(timer, is_on);
	if (!number || !tid)
		return false;
	timer->timer_signal = number;
	timer->timer_ticks = fg_tick_open(&timer->tick, tid, number);
	if (timer->timer_ticks) {
		timer->timer_tid = tid;
		return true;
	}
	bool made = fg_thread_timer_make(&timer->timer, tid, number, &fg_preempt_mark);
	timer->timer_tid = made ? tid : 0;
	return timer->timer_tid != 0;
}

static bool
timer_set(struct fg_preempting *timer, bool on)
{
	assert(timer->timer_tid);
	if (timer->timer_ticks)
		return fg_tick_run(&timer->tick, on);
	return fg_thread_timer_set(timer->timer, on ? fg_exec_options.slice_ns : 0);
}

void
fg_preempt_timer_turn(struct fg_preempting *timer, bool *is_on, int tid, bool on, int number)
{
	if (!timer_make(timer, is_on, tid, number) || *is_on == on)
		return;
	if (timer_set(timer, on))
		*is_on = on;
	else /* its kernel thread has ended and the number came back, or the program closed the file */
		fg_preempt_timer_drop(timer, is_on);
}

void
fg_sample_timer_drop(struct fg_preempting *timer)
{
	if (timer->sample_tid && fg_sandbox_allows(FG_SANDBOX_SIGNALS))
		fg_thread_timer_delete(timer->sample);
	timer->sample_tid = 0;
}

bool
fg_sample_timer_set(struct fg_preempting *timer, int tid, int number, uint64_t period_ns)
{
	if (timer->sample_tid != tid || timer->sample_signal != number) {
		fg_sample_timer_drop(timer);
		if (!number || !tid || !period_ns)
			return !period_ns;
		if (!fg_thread_timer_make(&timer->sample, tid, number, &fg_sample_mark))
			return false;
		timer->sample_tid = tid;
		timer->sample_signal = number;
	}
	if (fg_thread_timer_set(timer->sample, period_ns))
		return true;
	fg_sample_timer_drop(timer); /* its kernel thread has ended, and the number came back */
	return false;
}
