/* Alternate: the alternate stack for signals that a member has set follows it from one kernel thread to the next
 * (floor: exec; called by mask.c at switches, by board.c, birth.c, crew.c, dock.c, donor.c and ride.c, and by the ABI's
 * sigaltstack).
 *
 * The kernel keeps the alternate stack for a kernel thread. A member that has set none runs with that of its kernel
 * thread (fault.h). So for every running thread T on a kernel thread K:
 *
 *     alternate stack of K == T has FG_ALTERNATE_OWN ? T->alternate.own : K's
 *
 * While T runs, T->alternate.below is K's, which T puts back when it leaves. A handler of the program on an alternate
 * stack never switches (yield.c, preempt.c), so no two kernel threads use one stack at a time.
 *
 * What a thread of the program sets outside of regions is K's. The program sees no stack of the runtime. A member of a
 * nested region loses its stack when it ends, as with libgomp its kernel thread does.
 *
 * All callers are inside the runtime, but for fg_donor_new, and for the program's sigaltstack, which blocks all signals
 * itself. fg_alternate_switch, _part and _prepare may come from the preemption handler. No lock is held but one that is
 * passed on at a switch. */
#pragma once
#include <signal.h>

struct fg_identity;

/* The program's sigaltstack. Returns 0, or -1 and errno. In a handler that interrupted the runtime it sets the stack
 * of the kernel thread. */
int fg_alternate_change(const stack_t *stack, stack_t *old);
/* The caller is about to switch to `next` on its worker, and one of the two has the flag. */
void fg_alternate_switch(struct fg_identity *self, struct fg_identity *next);
/* The caller stops using its kernel thread, and puts the stack of the kernel thread back. */
void fg_alternate_part(struct fg_identity *self);
/* `self`, which is the caller or the home of the ride's head, is about to get a donor. If it is a root, its kernel
 * thread will carry other threads. This may map memory, so the caller holds no lock. */
void fg_alternate_prepare(struct fg_identity *self);
/* The member that the caller was has ended. */
void fg_alternate_forget(struct fg_identity *self);
