/* Stopwatch (floor: sim; used where the simulation comes in): how long the program's own kernel thread computes between
 * two points. Short stretches are read off the processor's counter. A long one is compared with the thread's CPU clock,
 * because the kernel may have run another thread meanwhile. */
#pragma once
#include <stdint.h>

void fg_stopwatch_init(void);
void fg_stopwatch_start(void);
void fg_stopwatch_stop(void);
/* The same, but it waits until all earlier code is done. The plain stop may read the counter while the last of that
 * code still runs. */
void fg_stopwatch_stop_done(void);
/* Returns the nanoseconds from the last start to the last stop, less the stopwatch's own time. Then it returns 0 until
 * the next start. */
uint64_t fg_stopwatch_lap(void);
/* The running thread is in the program's code, whatever it was before. */
void fg_stopwatch_in_program(void);
/* Returns the looks at lines so far (base/atomic_charged.h). */
uint64_t fg_stopwatch_looks(void);
extern struct fg_stopwatch {
	/* The nanoseconds of the last lap that passed in the program's code. */
	uint64_t program;
	/* The laps in which an involuntary switch fell, and the nanoseconds taken off for that. */
	uint64_t hit, corrected;
	/* The laps so far. They tell another thread whether the simulation goes on. */
	volatile uint64_t laps;
} fg_stopwatch;
