/* Timers of a kernel thread's CPU time that send it a signal (floor: platform; used by exec/watch/preempt_timer.c where
 * there are no ticks). The caller asks whether the sandbox allows them. The caller holds the lock that guards the timer
 * (preempt_signal.c). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Makes a timer that does not run yet. The handler finds the value in si_value. False: the system gives none. */
bool fg_thread_timer_make(int *timer, int tid, int number, const void *value);
/* The signal comes each time after so much CPU time; 0: never. False: there is no such timer any more. */
bool fg_thread_timer_set(int timer, uint64_t period_ns);
void fg_thread_timer_delete(int timer);
