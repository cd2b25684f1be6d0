/* Tick: one sample, copied in the handler of a timer's signal (floor: samples; called by the library through the
 * object's table, in the preemption handler on a thread outside the runtime).
 *
 * The handler copies registers, and a piece of the stack that cannot fault. It reads no code, calls nothing of the C
 * library, and never waits. */
#pragma once
#include "base/atomic.h"

/* 0: samples are thrown away. */
extern struct fg_atomic_u32 fg_ticks_on;
struct fg_identity;
void fg_sample_tick(const struct fg_identity *self, const void *signal_context);
