/* The registers in a signal's frame (floor: platform): see interrupted.h. */
#define _GNU_SOURCE
#include "platform/interrupted.h"

#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

struct fg_interrupted
fg_interrupted_at(const void *signal_context)
{
	const ucontext_t *context = signal_context;
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

/* The kernel has put the thread back on the instruction, with the number of the call. A handler with SA_RESTART returns
 * to that. */
bool
fg_interrupted_in_futex(const void *signal_context)
{
	const ucontext_t *context = signal_context;
#ifdef __x86_64__
	static const unsigned char syscall_instruction[] = {0x0f, 0x05};
	uint64_t number = (uint64_t)context->uc_mcontext.gregs[REG_RAX];
#else
	static const unsigned char syscall_instruction[] = {0x01, 0x00, 0x00, 0xd4};
	uint64_t number = context->uc_mcontext.regs[8];
#endif
	const void *pc = (const void *)fg_interrupted_at(signal_context).pc;
	return number == SYS_futex && memcmp(pc, syscall_instruction, sizeof syscall_instruction) == 0;
}
