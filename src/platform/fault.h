/* Alternate signal stacks, and the needs of a handler of SIGSEGV (floor: platform; called by
 * exec/body/stack_overflow.c, exec/watch/preempt.c, exec/roots/root.c, exec/body/alternate.c).
 *
 * Each function acts on the calling kernel thread. fg_fault_stack and fg_fault_stack_free may map memory, so they are
 * called without a lock and in no signal handler. The others are called anywhere. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/atomic.h"

#define FG_FAULT_STACK (128ul << 10)

/* Gives the calling kernel thread an alternate signal stack, unless it has one. `memory` is the result of an earlier
 * call for a kernel thread that has ended, FG_FAULT_STACK bytes of the caller's, or NULL. Returns the memory that is in
 * use, or that the caller must keep for the next call; NULL: none. */
void *fg_fault_stack(void *memory);
/* sigaltstack, by the system call, because for the program the name is the library's own (libc/signals.c). */
int fg_fault_alternate(const stack_t *stack, stack_t *old);
/* The program has set an alternate stack that no handler of the runtime may use. Either it is too small for one, or it
 * belongs to a member, which leaves it on a kernel thread and frees it. Never 0 again. */
extern struct fg_atomic_u32 fg_fault_unfit;
/* The calling thread sets an alternate stack of this size; of_program: it is a thread of the program. True: this is the
 * first unfit stack. */
bool fg_fault_judge(size_t size, bool of_program);
/* Takes the stack away again, if it is still the one in use. */
void fg_fault_stack_end(const void *memory);
/* The same, and it gives the memory back. */
void fg_fault_stack_free(void *memory);

/* The stack pointer where the signal interrupted the thread, from a handler's third argument. */
char *fg_fault_sp(const void *context);
/* The address of the instruction that failed. */
uintptr_t fg_fault_pc(const void *context);
bool fg_fault_readable(const void *address);

/* The piece of mapped memory that holds the address, from low up to high; false: it cannot be told. For signal
 * handlers: it takes no lock. */
bool fg_fault_mapping(const void *address, char **low, char **high);
