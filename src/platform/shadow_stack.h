/* Shadow stacks: the processor's second copy of return addresses (floor: platform; called by team/boot/environment.c).
 *
 * A thread that goes on on another stack needs the shadow stack of that one as well, and contexts (context.h) have
 * none. The C library does not turn them on in a process with this library, because the library is not marked for it.
 * The user may force it (GLIBC_TUNABLES). Constructors ask, and nothing is kept. */
#pragma once
#include <stdbool.h>

/* The calling thread has one. It takes no system call, because a sandbox might not like that. */
static inline bool
fg_shadow_stack_on(void)
{
#if defined(__x86_64__)
	unsigned long pointer = 0;
	__asm__ volatile("rdsspq %0" : "+r"(pointer)); /* does nothing where there is none */
	return pointer != 0;
#else
	register unsigned long features __asm__("x16") = 1; /* Guarded Control Stack */
	/* chkfeat x16: it clears the bits of the features that are on, and does nothing on old processors. */
	__asm__ volatile("hint #40" : "+r"(features));
	return features == 0;
#endif
}
