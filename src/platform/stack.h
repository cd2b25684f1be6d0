/* Stacks of donors: mapped, coloured, guarded, without huge pages (floor: platform; called by donor.c and identity.c of
 * exec/thread). Upwards in memory:
 *     the parking stack | the guard | the stack | TCB, TLS, the note
 * The donor's kernel thread stands on the parking stack while others use the stack. The C library sends signals to each
 * thread, and the kernel puts their frames there. They must not meet a member's data on its stack.
 *
 * A stack belongs to the caller of fg_stack_map until fg_stack_unmap. Both are called outside the runtime, without a
 * lock. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define FG_STACK_GUARD (64u << 10)

struct fg_stack {
	char *map; /* start of the mapping */
	size_t map_size;
	char *parking; /* upper end of the parking stack */
	char *low;     /* lowest usable byte */
	bool to_lock;  /* the process wants all its memory locked; this is not yet */
	/* Usable bytes; low + size is where pthread_create puts TCB and TLS, with FG_STACK_NOTE bytes above. */
	size_t size;
};

/* For the owner's note about the stack, in the page that is touched anyway. */
#define FG_STACK_NOTE 64

/* Maps a stack of at least `size` bytes. `colour` shifts its top, and with it TCB, TLS and first frames, by a multiple
 * of 64 bytes. With equal offsets in a page all donors of a worker would fight for the same ways of the L1 cache.
 * Returns 0, or an errno value. */
int fg_stack_map(struct fg_stack *stack, size_t size, unsigned colour);
/* A thread will use the stack: pages touched from now on are locked. Keeps errno; may be called in a signal handler. */
void fg_stack_lock(const struct fg_stack *stack);
void fg_stack_unmap(struct fg_stack *stack);
/* The limit of the initial thread's stack (RLIMIT_STACK), which the C library also takes for the stacks of pthreads.
 * SIZE_MAX: none is known. */
size_t fg_stack_limit(void);
