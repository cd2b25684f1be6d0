/* Timers: the signals for samples, each after so much CPU time of a worker's kernel thread (floor: samples; used by
 * sampler.c). One thread at a time calls. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* The period at which all workers together make 1,000 samples a second at most: 10 ms for up to ten of them. */
uint64_t fg_timers_period(void);
/* Sets the timers of all workers, each to a period of its own, by chance from 6 to 14 tenths of this one. False: the
 * system gives none. */
bool fg_timers_scatter(uint64_t period);
/* Sets all to one period, so that samples of all members count alike: by chance, as above. Returns it; 0: the system
 * gives none. */
uint64_t fg_timers_level(uint64_t period);
void fg_timers_end(void);
/* Changes when a kernel thread has come to a worker. */
uint64_t fg_timers_digest(void);
