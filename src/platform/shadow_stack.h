/* Shadow stacks: the processor's second copy of return addresses (floor: platform; called by team/boot/environment.c).
 *
 * Whoever goes on on another stack needs that one's shadow stack as well; contexts (context.h) have none. The C library does not turn them on in a
 * process with this library, because that is not marked for it, unless it is told to (GLIBC_TUNABLES). */
#pragma once
#include <stdbool.h>

/* The calling thread has one. It takes no system call, which a sandbox might not like. */
static inline bool
fg_shadow_stack_on(void)
{
#if defined(__x86_64__)
	unsigned long pointer = 0;
	__asm__ volatile("rdsspq %0" : "+r"(pointer)); /* does nothing where there is none */
	return pointer != 0;
#else
	register unsigned long features __asm__("x16") = 1; /* Guarded Control Stack */
	__asm__ volatile("hint #40"
			 : "+r"(features)); /* chkfeat x16: clears what is on, does nothing on old processors */
	return features == 0;
#endif
}
