/* Signal stacks and faults (floor: platform): see fault.h. */
#define _GNU_SOURCE
#include "platform/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "platform/file.h"
#include "platform/sandbox.h"
#include "platform/stack.h"

/* Handlers of the program that ask for an alternate stack run there too. Untouched pages cost nothing. */
#define STACK_SIZE FG_FAULT_STACK

int
fg_fault_alternate(const stack_t *stack, stack_t *old)
{
	return (int)syscall(SYS_sigaltstack, stack, old);
}

struct fg_atomic_u32 fg_fault_unfit;

/* Kernels that do not tell the size of a signal's frame do not have the larger frames. */
#define FRAME_MAX 5120
#define HANDLER_MAX 2048
#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

bool
fg_fault_judge(size_t size, bool of_program)
{
	unsigned long frame = getauxval(AT_MINSIGSTKSZ);
	bool fits = size >= (frame ? frame : FRAME_MAX) + HANDLER_MAX;
	return !(of_program && fits) && !fg_exchange_acq_rel(&fg_fault_unfit, 1);
}

void *
fg_fault_stack(void *memory)
{
	stack_t stack;
	if (!fg_sandbox_allows(FG_SANDBOX_SIGNALS) || fg_fault_alternate(NULL, &stack) != 0)
		return memory;
	if (!(stack.ss_flags & SS_DISABLE)) {
		fg_fault_judge(stack.ss_size, true);
		return memory;
	}
	if (!memory) {
		char *map = mmap(NULL, FG_STACK_GUARD + STACK_SIZE, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (map == MAP_FAILED)
			return NULL;
		if (mprotect(map + FG_STACK_GUARD, STACK_SIZE, PROT_READ | PROT_WRITE) != 0) {
			munmap(map, FG_STACK_GUARD + STACK_SIZE);
			return NULL;
		}
		memory = map + FG_STACK_GUARD;
	}
	stack = (stack_t){.ss_sp = memory, .ss_size = STACK_SIZE};
	fg_fault_alternate(&stack, NULL);
	return memory;
}

void
fg_fault_stack_end(const void *memory)
{
	stack_t stack;
	if (!memory || !fg_sandbox_allows(FG_SANDBOX_SIGNALS) || fg_fault_alternate(NULL, &stack) != 0 ||
	    stack.ss_sp != memory)
		return;
	stack = (stack_t){.ss_flags = SS_DISABLE};
	fg_fault_alternate(&stack, NULL);
}

void
fg_fault_stack_free(void *memory)
{
	fg_fault_stack_end(memory);
	munmap((char *)memory - FG_STACK_GUARD, FG_STACK_GUARD + STACK_SIZE);
}

char *
fg_fault_sp(const void *context)
{
	const ucontext_t *interrupted = context;
#if defined __x86_64__
	return (char *)interrupted->uc_mcontext.gregs[REG_RSP];
#elif defined __aarch64__
	return (char *)interrupted->uc_mcontext.sp;
#else
#error "where does this machine keep the stack pointer?"
#endif
}

uintptr_t
fg_fault_pc(const void *context)
{
	const ucontext_t *interrupted = context;
#if defined __x86_64__
	return (uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP];
#else
	return (uintptr_t)interrupted->uc_mcontext.pc;
#endif
}

/* The kernel reads the new mask before it refuses to use it. */
bool
fg_fault_readable(const void *address)
{
	const uintptr_t mask_size = 8, how = UINT32_MAX;
	syscall(SYS_rt_sigprocmask, how, (uintptr_t)address & ~(mask_size - 1), NULL, mask_size);
	return errno != EFAULT;
}

/* Takes one more character of /proc/self/maps. true: a line "LOW-HIGH ..." has just told its two numbers. */
struct line {
	uintptr_t number[2];
	unsigned field;
};

static bool
line_take(struct line *line, char c)
{
	int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
	if (c == '\n')
		*line = (struct line){0};
	else if (line->field < 2 && digit >= 0)
		line->number[line->field] = line->number[line->field] << 4 | (unsigned)digit;
	else if (line->field < 2)
		return ++line->field == 2;
	return false;
}

bool
fg_fault_mapping(const void *address, char **low, char **high)
{
	char text[512];
	struct line line = {0};
	bool found = false;
	ssize_t got;
	int file = fg_file_open("/proc/self/maps", O_RDONLY);
	if (file < 0)
		return false;
	while (!found && (got = fg_file_read(file, text, sizeof text)) > 0)
		for (ssize_t i = 0; i < got && !found; i++)
			found = line_take(&line, text[i]) && (uintptr_t)address >= line.number[0] &&
				(uintptr_t)address < line.number[1];
	fg_file_close(file);
	*low = (char *)line.number[0];
	*high = (char *)line.number[1];
	return found;
}
