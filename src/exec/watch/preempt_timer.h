/* Timers of preemption: ticks (tick.h), or a periodic timer, of the CPU time of the kernel thread that carries a
 * worker (floor: exec; called by preempt_signal.c, which holds its lock).
 *
 *     worker->timer_on => the timer or the ticks count the kernel thread `timer_tid`    (under the lock) */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct fg_preempting;

/* Signals that the runtime sends carry the address of this variable. All others are the program's own. */
extern const char fg_preempt_mark;
/* `timer` is the worker's part, and `is_on` its `timer_on`. Turns the timer of the kernel thread `tid` on or off, with
 * this signal. 0: no kernel thread carries the worker at the moment, or there is no signal. Then none is on. */
void fg_preempt_timer_turn(struct fg_preempting *timer, bool *is_on, int tid, bool on, int number);
void fg_preempt_timer_drop(struct fg_preempting *timer, bool *is_on);
/* The same for a second timer, which asks for samples (team/samples.h) and never for the PU. Its signals carry the
 * address of this variable. A period of 0: it stands. False: the system gives none. */
extern const char fg_sample_mark;
bool fg_sample_timer_set(struct fg_preempting *timer, int tid, int number, uint64_t period_ns);
void fg_sample_timer_drop(struct fg_preempting *timer);
