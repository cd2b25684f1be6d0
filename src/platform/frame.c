/* Returning from a signal (floor: platform): see frame.h. */
#define _GNU_SOURCE
#include "platform/frame.h"

#if defined(__x86_64__)

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* The kernel's words in the part of the FXSAVE area that the processor leaves alone: struct _fpx_sw_bytes. */
#define SOFTWARE_BYTES 464
#define MAGIC 0x46505853u /* FP_XSTATE_MAGIC1: an XSAVE area */
struct software_bytes {
	uint32_t magic, extended_size;
	uint64_t features;
	uint32_t size;
};

#define AMX_TILE_DATA (UINT64_C(1) << 18) /* of XCR0 */
#define AUTODISARM (1u << 31)		  /* SS_AUTODISARM */
#define KERNEL_MASK_SIZE 8

/* False: there is no XSAVE area. */
static bool
software_bytes(const ucontext_t *context, struct software_bytes *words)
{
	const char *area = (const char *)context->uc_mcontext.fpregs;
	if (!area)
		return false;
	memcpy(words, area + SOFTWARE_BYTES, sizeof *words);
	return words->magic == MAGIC;
}

/* Called only where the kernel uses XSAVE: without that the instruction would be none. */
static uint64_t
features_enabled(void)
{
	uint32_t low, high;
	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low | (uint64_t)high << 32;
}

void
fg_frame_return(void *signal_context)
{
	struct software_bytes words;
	if (software_bytes(signal_context, &words) && features_enabled() & AMX_TILE_DATA)
		fg_frame_resume(signal_context);
}

/* In place of the last registers of the frame: what iret takes from the stack. */
enum { IRET_IP = REG_RSP, IRET_CS, IRET_FLAGS, IRET_SP, IRET_SS };
_Static_assert(REG_R8 == 0 && REG_RDI == 8 && REG_RCX == 14 && REG_RSP == 15, "popped in this order");

static void
iret_prepare(greg_t *registers)
{
	greg_t sp = registers[REG_RSP], ip = registers[REG_RIP], flags = registers[REG_EFL];
	uint64_t selectors = (uint64_t)registers[REG_CSGSFS];
	registers[IRET_IP] = ip;
	registers[IRET_CS] = (greg_t)(selectors & 0xffff);
	registers[IRET_FLAGS] = flags;
	registers[IRET_SP] = sp;
	registers[IRET_SS] = (greg_t)(selectors >> 48);
}

/* A signal that comes meanwhile finds the stack pointer within the frame, and leaves alone what lies above. */
static _Noreturn void
load_registers(greg_t *registers, const void *area, uint64_t features)
{
	__asm__ volatile("xrstor64 (%1)\n\t"
			 "movq %0, %%rsp\n\t"
			 "popq %%r8\n\tpopq %%r9\n\tpopq %%r10\n\tpopq %%r11\n\t"
			 "popq %%r12\n\tpopq %%r13\n\tpopq %%r14\n\tpopq %%r15\n\t"
			 "popq %%rdi\n\tpopq %%rsi\n\tpopq %%rbp\n\tpopq %%rbx\n\t"
			 "popq %%rdx\n\tpopq %%rax\n\tpopq %%rcx\n\t"
			 "iretq"
			 :
			 : "r"(registers), "r"(area), "a"((uint32_t)features), "d"((uint32_t)(features >> 32))
			 : "memory");
	__builtin_unreachable();
}

void
fg_frame_resume(void *signal_context)
{
	ucontext_t *context = signal_context;
	struct software_bytes words;
	if (!software_bytes(context, &words))
		return;
	if ((unsigned)context->uc_stack.ss_flags & AUTODISARM)
		sigaltstack(&context->uc_stack, NULL);
	iret_prepare(context->uc_mcontext.gregs);
	/* The kernel's own call: the C library's leaves two signals out. */
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &context->uc_sigmask, NULL, KERNEL_MASK_SIZE);
	load_registers(context->uc_mcontext.gregs, context->uc_mcontext.fpregs, words.features);
}

#else

void
fg_frame_return(void *signal_context)
{
	(void)signal_context;
}

void
fg_frame_resume(void *signal_context)
{
	(void)signal_context;
}

#endif
