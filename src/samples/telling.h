/* Telling: what samples tell the trace of who uses what, for FGOMP_TRACE_USES (floor: samples; used by sampler.c). One
 * thread at a time calls.
 *
 * A sample becomes one event: one access of its walk, by chance, in proportion to the bytes. So events are independent
 * of each other, and each stands for the data that the member goes through until the next sample. How much that is, is
 * an estimate: the walk tells how many units of 8 bytes an instruction goes through, and an instruction takes 1 ns. */
#pragma once
#include <stdint.h>

#include "samples/ring.h"
#include "samples/walk.h"

/* The sampler starts. */
void fg_telling_begin(void);
/* The period between samples, given the shortest. It doubles whenever half of the room in the trace that was left is
 * used. So the room lasts, however long the program runs. */
uint64_t fg_telling_period(uint64_t shortest);
/* ns: the CPU time for which the sample stands. Its thread is in a team. */
void fg_telling_note(const struct fg_sample *sample, const struct fg_walk *walk, uint64_t ns);
