/* Context: a suspended flow of control: stack pointer and thread pointer (floor: platform; called by exec).
 *
 * The stack holds the callee-saved registers and the floating-point environment. The thread pointer (FS base, tpidr_el0)
 * moves with the context, so thread-local storage is always that of the pthread the context belongs to. */
#pragma once
#include <stdint.h>

#include "platform/sanitizer.h"

struct fg_context {
	void *sp;
	void *tls;
};

/* Saves the running context in *from, goes to *to and, standing there with *from saved, calls callback(arg) unless it is NULL:
 * whatever the callback publishes about *from may be acted upon at once by another worker. Returns when somebody switches
 * back to *from. The calling thread must be inside the runtime (fg_enter). */
void fg_context_switch(struct fg_context *from, const struct fg_context *to, void (*callback)(void *), void *arg);

#ifdef FG_TSAN
/* The same, announced: all that was done before the switch happens before what *to and the callback do. */
void fg_context_switch_announced(struct fg_context *from, const struct fg_context *to, void (*callback)(void *),
				 void *arg);
#define fg_context_switch fg_context_switch_announced
#endif

/* Makes *context start entry() on the stack that ends at `top` (16-byte aligned), in the caller's floating-point environment; entry never
 * returns. Backtraces end there. */
void fg_context_make(struct fg_context *context, void *top, void *tls, void (*entry)(void));

/* Parks the calling kernel thread: moves it to `stack` (the top of a piece of memory big enough for a signal frame), then
 * stores value to *word (release), wakes who waits for that in the kernel, and sleeps as long as the word keeps it. From the store
 * on it touches neither its old stack nor its thread-local storage: both are others' to use. Whoever changes the word (release) and
 * wakes it gives them back: it goes on with *then. */
_Noreturn void fg_context_park(uint32_t *word, uint32_t value, void *stack, const struct fg_context *then);

/* The thread pointer of the caller; and another for it, for a moment (setxid.c): the caller must not use thread-local storage. */
void *fg_context_tls(void);
void fg_context_tls_set(void *tls);

/* Chooses the way the thread pointer is written: wrfsbase or, where it is missing, arch_prctl. */
void fg_context_init(void);
