/* Alternate: the alternate stack for signals that a member has set, and how it follows the member from one kernel
 * thread to the next (floor: exec; called by mask.c at switches, by birth.c and dock.c, and by the ABI's sigaltstack).
 *
 * The kernel keeps the alternate stack for a kernel thread. A member that has set none runs with that of its kernel
 * thread (fault.h). So for every running thread T on a kernel thread K:
 *
 *     alternate stack of K == T has FG_ALTERNATE_OWN ? T->alternate.own : K's
 *
 * While T runs, T->alternate.below is K's, which T puts back when it leaves. A handler of the program on an alternate
 * stack never switches (yield.c, preempt.c), so no two kernel threads use one stack at a time.
 *
 * A thread of the program stays on its kernel thread: what it sets is K's. Nobody sees a stack of the runtime. A member
 * of a nested region loses its stack when it ends, as its kernel thread would with libgomp. */
#pragma once
#include <signal.h>

struct fg_identity;

enum { FG_ALTERNATE_OWN = 4 };

struct fg_alternate {
	stack_t own, below;
};

/* The program's sigaltstack: 0, or -1 and errno. In a handler that interrupted the runtime it sets the stack of the
 * kernel thread. */
int fg_alternate_change(const stack_t *stack, stack_t *old);
/* The caller is about to switch to `next` on its worker, and one of them has the flag. */
void fg_alternate_switch(struct fg_identity *self, struct fg_identity *next);
/* The caller leaves its kernel thread to itself. */
void fg_alternate_part(struct fg_identity *self);
/* The member that the caller was has ended. */
void fg_alternate_forget(struct fg_identity *self);
