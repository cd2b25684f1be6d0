/* What a handler of SIGSEGV needs (floor: platform; called by exec/thread/stack_overflow.c). */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/atomic.h"

#define FG_FAULT_STACK (128ul << 10)

/* Gives the calling kernel thread an alternate signal stack, unless it has one. `memory` is what an earlier call returned for a
 * kernel thread that has ended, FG_FAULT_STACK bytes of the caller's, or NULL. Returns the memory that is in use or is to be kept for the next call; NULL: none. */
void *fg_fault_stack(void *memory);
/* sigaltstack, by the system call: the name is the library's own for the program (libc/signals.c). */
int fg_fault_alternate(const stack_t *stack, stack_t *old);
/* An alternate stack of the program was met that no handler of the runtime may use: it is too small for one, or belongs to a member,
 * which leaves it on a kernel thread and frees it. Never 0 again. */
extern struct fg_atomic_u32 fg_fault_unfit;
/* The calling thread, of the program or not, sets one of so many bytes. True: that is the first such stack. */
bool fg_fault_judge(size_t size, bool of_program);
/* Takes it away again, if it is still the one in use. */
void fg_fault_stack_end(const void *memory);
/* And gives the memory back. */
void fg_fault_stack_free(void *memory);

/* The stack pointer where a signal handler's third argument says that the thread was interrupted. */
char *fg_fault_sp(const void *context);
bool fg_fault_readable(const void *address);

/* The piece of mapped memory that holds the address, from low up to high; false: it cannot be told. For signal handlers: takes no
 * lock. */
bool fg_fault_mapping(const void *address, char **low, char **high);
