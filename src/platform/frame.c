/* Returning from a signal (floor: platform): see frame.h. */
#define _GNU_SOURCE
#include "platform/frame.h"

#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "platform/fault.h"

#define RED_ZONE 128
#define HANDLER_ROOM 2048     /* for the handler, above the stack's end */
#define ALIGNMENT 64	      /* of an XSAVE area */
#define AUTODISARM (1u << 31) /* SS_AUTODISARM */

static bool
within(const stack_t *stack, uintptr_t sp)
{
	return !(stack->ss_flags & SS_DISABLE) && sp - (uintptr_t)stack->ss_sp < stack->ss_size;
}

bool
fg_frame_is_alternate(const void *signal_context)
{
	const ucontext_t *context = signal_context;
	return within(&context->uc_stack, (uintptr_t)context);
}

bool
fg_frame_met_alternate(const void *signal_context)
{
	const ucontext_t *context = signal_context;
	return within(&context->uc_stack, (uintptr_t)fg_fault_sp(context));
}

/* A stack that the kernel has disarmed for the handler must be armed again, once nothing stands on it. */
static void
arm_again(const ucontext_t *context)
{
	if ((unsigned)context->uc_stack.ss_flags & AUTODISARM)
		fg_fault_alternate(&context->uc_stack, NULL);
}

/* The bytes that the kernel has written, and how far down they move. */
struct frame {
	char *begin, *end;
	ptrdiff_t distance;
};

static bool
finds_room(struct frame *frame, uintptr_t low, uintptr_t sp)
{
	size_t size = (size_t)(frame->end - frame->begin);
	if (sp < low || sp - low < RED_ZONE + ALIGNMENT + HANDLER_ROOM + size)
		return false;
	ptrdiff_t distance = (ptrdiff_t)(sp - RED_ZONE - (uintptr_t)frame->end);
	frame->distance = distance & ~(ptrdiff_t)(ALIGNMENT - 1);
	return true;
}

#if defined(__x86_64__)

/* The kernel's words in the part of the FXSAVE area that the processor leaves alone: struct _fpx_sw_bytes. */
#define SOFTWARE_BYTES 464
#define MAGIC 0x46505853u /* FP_XSTATE_MAGIC1: an XSAVE area */
struct software_bytes {
	uint32_t magic, extended_size;
	uint64_t features;
	uint32_t size;
};

#define AMX_TILE_DATA (UINT64_C(1) << 18) /* of XCR0 */
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

/* The kernel writes the handler's return address, the context, the siginfo and the XSAVE area. */
static struct frame
frame_of(const siginfo_t *info, ucontext_t *context, const void *frame_address)
{
	struct software_bytes words;
	char *area = (char *)context->uc_mcontext.fpregs;
	struct frame frame = {.begin = (char *)context - sizeof(void *), .end = (char *)(info + 1)};
	(void)frame_address;
	if (software_bytes(context, &words))
		frame.end = area + words.extended_size;
	else if (area)
		frame.end = area + sizeof *context->uc_mcontext.fpregs;
	return frame;
}

static void
mend_pointers(ucontext_t *moved, ptrdiff_t distance)
{
	if (moved->uc_mcontext.fpregs)
		moved->uc_mcontext.fpregs = (fpregset_t)((char *)moved->uc_mcontext.fpregs + distance);
}

/* Calls it as the kernel does. */
static _Noreturn void
call_handler(const struct fg_frame_move *move, int signal, const siginfo_t *info, const ucontext_t *context,
	     const struct frame *frame)
{
	__asm__ volatile("movq %0, %%rsp\n\tjmp *%1"
			 :
			 : "r"(frame->begin + frame->distance), "r"(move->handler), "D"((long)signal), "S"(info),
			   "d"(context)
			 : "memory");
	__builtin_unreachable();
}

/* Called only where the kernel uses XSAVE. Elsewhere the instruction does not exist. */
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

/* The last registers of the frame give way to the words that iret takes from the stack. */
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

/* For unwinders, while rcx leads to the registers: the interrupted code is the caller. Its stack pointer is the CFA.
 * The others are where the kernel has put them: rip, rbx, rbp, r12 to r15. */
#define UNWIND_BY_RCX                                                                                                  \
	".cfi_remember_state\n\t.cfi_escape 0x0f, 4, 0x72, 0x90, 1, 6\n\t"                                             \
	".cfi_escape 0x10, 16, 3, 0x72, 0xf8, 0\n\t"                                                                   \
	".cfi_escape 0x10, 3, 3, 0x72, 0xd8, 0\n\t.cfi_escape 0x10, 6, 3, 0x72, 0xd0, 0\n\t"                           \
	".cfi_escape 0x10, 12, 2, 0x72, 32\n\t.cfi_escape 0x10, 13, 2, 0x72, 40\n\t"                                   \
	".cfi_escape 0x10, 14, 2, 0x72, 48\n\t.cfi_escape 0x10, 15, 2, 0x72, 56\n\t"
_Static_assert(8 * IRET_IP == 120 && 8 * IRET_SP == 144 && 8 * REG_R12 == 32 && 8 * REG_RBP == 80 && 8 * REG_RBX == 88,
	       "see the numbers above");

/* A signal that comes meanwhile finds the stack pointer within the frame, and leaves the words above it alone. */
static _Noreturn void
load_registers(greg_t *registers, const void *area, uint64_t features)
{
	__asm__ volatile(UNWIND_BY_RCX "xrstor64 (%1)\n\t"
				       "movq %0, %%rsp\n\t"
				       "popq %%r8\n\tpopq %%r9\n\tpopq %%r10\n\tpopq %%r11\n\t"
				       "popq %%r12\n\tpopq %%r13\n\tpopq %%r14\n\tpopq %%r15\n\t"
				       "popq %%rdi\n\tpopq %%rsi\n\tpopq %%rbp\n\tpopq %%rbx\n\t"
				       "popq %%rdx\n\tpopq %%rax\n\tpopq %%rcx\n\t"
				       ".cfi_restore_state\n\t"
				       "iretq"
			 :
			 : "c"(registers), "r"(area), "a"((uint32_t)features), "d"((uint32_t)(features >> 32))
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
	arm_again(context);
	/* This is the kernel's own call, because the C library's leaves two signals out. */
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &context->uc_sigmask, NULL, KERNEL_MASK_SIZE);
	iret_prepare(context->uc_mcontext.gregs); /* late: it hides the interrupted code from unwinders */
	load_registers(context->uc_mcontext.gregs, context->uc_mcontext.fpregs, words.features);
}

#else

/* The kernel writes the siginfo, the context, further registers and a frame record, to which the handler's frame
 * pointer leads. */
static struct frame
frame_of(const siginfo_t *info, ucontext_t *context, const void *frame_address)
{
	char *record = *(char *const *)frame_address;
	(void)context;
	return (struct frame){.begin = (char *)info, .end = record + 2 * sizeof(void *)};
}

static void
mend_pointers(ucontext_t *moved, ptrdiff_t distance)
{
	char *at = (char *)moved->uc_mcontext.__reserved, *end = at + sizeof moved->uc_mcontext.__reserved;
	struct _aarch64_ctx head;
	for (; at + sizeof(struct extra_context) <= end; at += head.size) {
		memcpy(&head, at, sizeof head);
		if (head.magic == EXTRA_MAGIC)
			((struct extra_context *)at)->datap += (uint64_t)distance;
		if (head.magic == 0 || head.magic == EXTRA_MAGIC)
			return;
	}
}

/* Calls it as the kernel does. */
static _Noreturn void
call_handler(const struct fg_frame_move *move, int signal, const siginfo_t *info, const ucontext_t *context,
	     const struct frame *frame)
{
	register long x0 __asm__("x0") = signal;
	register const void *x1 __asm__("x1") = info, *x2 __asm__("x2") = context;
	register const void *x16 __asm__("x16") = (const void *)move->handler;
	register const void *x3 __asm__("x3") = frame->end + frame->distance - 2 * sizeof(void *);
	register const void *x30 __asm__("x30") = ((void *const *)move->frame_address)[1];
	__asm__("hint 7" : "+r"(x30)); /* xpaclri: the compiler may sign return addresses */
	register const void *x4 __asm__("x4") = x30;
	register const void *x5 __asm__("x5") = frame->begin + frame->distance;
	__asm__ volatile("mov sp, x5\n\tmov x29, x3\n\tmov x30, x4\n\tbr x16"
			 :
			 : "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5), "r"(x16)
			 : "memory");
	__builtin_unreachable();
}

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

void
fg_frame_move(const struct fg_frame_move *move, int signal, siginfo_t *info, void *signal_context)
{
	ucontext_t *context = signal_context;
	struct frame frame = frame_of(info, context, move->frame_address);
	if (!finds_room(&frame, move->low, (uintptr_t)fg_fault_sp(context)))
		return;
	memcpy(frame.begin + frame.distance, frame.begin, (size_t)(frame.end - frame.begin));
	ucontext_t *moved = (ucontext_t *)((char *)context + frame.distance);
	mend_pointers(moved, frame.distance);
	arm_again(context);
	call_handler(move, signal, (siginfo_t *)((char *)info + frame.distance), moved, &frame);
}
