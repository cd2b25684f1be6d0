/* Timers of preemption: ticks (tick.h), or a periodic timer, of the CPU time of the kernel thread that carries a
 * worker (floor: exec; called by preempt_signal.c, which holds its lock).
 *
 *     worker->timer_on => the timer or the ticks count the kernel thread `timer_tid`    (under the lock) */
#pragma once
#include "exec/thread/identity.h"

/* Signals that the runtime sends carry the address of this variable. All others are the program's own. */
extern const char fg_preempt_mark;
/* Turns the timer on or off, with this signal. 0: there is no signal. */
void fg_preempt_timer_turn(struct fg_worker *worker, bool on, int number);
void fg_preempt_timer_drop(struct fg_worker *worker);
