/* Unwinding: from where a thread stands to its callers, by the call frame information that objects carry (floor:
 * stuck; used by place.c and stand.c).
 *
 * The C library's unwinder takes the dynamic linker's lock, which a thread that is stuck may hold. This one only peeks
 * (peek.h), at any thread's stack, and gives up where something is missing. It needs fg_objects_find (object.h)
 * first. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "platform/context.h"
#include "stuck/frame_table.h"

struct fg_unwind {
	uint64_t value[FG_UNWIND_REGISTERS]; /* by their numbers in call frame information */
	uint64_t known;			     /* bits: the registers that are known */
	uintptr_t pc;
	bool called;	    /* pc is behind a call; else it is the instruction that comes next */
	uintptr_t function; /* after a step: where the function begins that it left; 0: not known */
};

/* The start: a suspended context, a thread that sleeps in the kernel, or a thread that a signal met (the handler's
 * third argument). */
bool fg_unwind_context(struct fg_unwind *unwind, const struct fg_context *context);
void fg_unwind_kernel(struct fg_unwind *unwind, uintptr_t sp, uintptr_t pc);
void fg_unwind_signal(struct fg_unwind *unwind, const void *signal_context);

enum fg_unwound { FG_UNWIND_WENT, FG_UNWIND_END, FG_UNWIND_LOST };
/* Steps to the caller. END: there is none. LOST: it is not known. `function` is set in each case, as far as it is
 * known. */
enum fg_unwound fg_unwind_step(struct fg_unwind *unwind);
/* The thread stands before a system call that waits for a futex, as a signal's handler finds it there. Returns the
 * address of the futex; else 0. */
uintptr_t fg_unwind_futex(const struct fg_unwind *unwind);
