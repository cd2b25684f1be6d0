/* Where a signal met a thread: the place and the registers, to be compared with those of the next one (floor: platform). */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

struct fg_interrupted {
	uintptr_t pc;
	uint64_t registers; /* digest of all general ones, the stack pointer included */
};

static inline struct fg_interrupted
fg_interrupted_at(const ucontext_t *context)
{
	struct fg_interrupted at = {0, 0};
#ifdef __x86_64__
	const greg_t *value = context->uc_mcontext.gregs;
	at.pc = (uintptr_t)value[REG_RIP];
	for (int i = 0; i < REG_RIP; i++)
		at.registers = (at.registers ^ (uint64_t)value[i]) * UINT64_C(0x9e3779b97f4a7c15);
#else
	at.pc = (uintptr_t)context->uc_mcontext.pc;
	at.registers = context->uc_mcontext.sp;
	for (int i = 0; i < 31; i++)
		at.registers = (at.registers ^ context->uc_mcontext.regs[i]) * UINT64_C(0x9e3779b97f4a7c15);
#endif
	return at;
}

#define FG_LOOP_BYTES 64

/* Nothing has changed but the place within a few instructions: between the two the thread has waited for memory to change, or come round
 * to the very same state. A thread that computes counts something in a register. */
static inline bool
fg_interrupted_spins(struct fg_interrupted before, struct fg_interrupted now)
{
	return before.registers == now.registers && now.pc - before.pc + FG_LOOP_BYTES <= 2 * FG_LOOP_BYTES;
}
