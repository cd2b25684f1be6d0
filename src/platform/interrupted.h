/* Where a signal met a thread: the place and the registers (floor: platform; used by exec/watch/preempt.c). They are
 * compared with those of the next signal. Only the handler calls, with the context that the kernel gave it. Nothing is
 * kept. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct fg_interrupted {
	uintptr_t pc;
	uint64_t registers; /* digest of all general ones, the stack pointer included */
};

/* From the third argument of a signal handler. */
struct fg_interrupted fg_interrupted_at(const void *signal_context);

/* The thread waits in a futex, and will again when it goes on. */
bool fg_interrupted_in_futex(const void *signal_context);

#define FG_LOOP_BYTES 64

/* Nothing has changed but the place, and that within a few instructions. So between the two signals the thread has
 * waited for memory to change, or has come round to the very same state. A thread that computes counts something in a
 * register. */
static inline bool
fg_interrupted_spins(struct fg_interrupted before, struct fg_interrupted now)
{
	return before.registers == now.registers && now.pc - before.pc + FG_LOOP_BYTES <= 2 * FG_LOOP_BYTES;
}
