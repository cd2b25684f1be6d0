/* Stopwatch: how long the program's own kernel thread computes between two points (floor: sim). Short stretches are read off the
 * processor's counter; a long one is held against the CPU clock of the thread, for the kernel may have run somebody else meanwhile. */
#pragma once
#include <stdint.h>

void fg_stopwatch_init(void);
void fg_stopwatch_start(void);
void fg_stopwatch_stop(void);
/* The same when all is done that came before; the other may be while the last of that still goes on. */
void fg_stopwatch_stop_done(void);
/* Nanoseconds from the last start to the last stop, less what the stopwatch itself takes; once: then it is 0 until the next start. */
uint64_t fg_stopwatch_lap(void);
/* Looks at lines so far (base/atomic_charged.h). */
uint64_t fg_stopwatch_looks(void);
/* Laps that an involuntary switch fell into, and the nanoseconds taken off for that. */
extern uint64_t fg_stopwatch_hit, fg_stopwatch_corrected;
/* Laps so far: another thread sees whether the simulation goes on. */
extern volatile uint64_t fg_stopwatch_laps;
