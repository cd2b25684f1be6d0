/* Context: a suspended flow of control: stack pointer and thread pointer (floor: platform; called by platform, exec,
 * sim and boot/start.c).
 *
 * The stack holds the callee-saved registers and the floating-point environment. The thread pointer (FS base,
 * tpidr_el0) moves with the context. So thread-local storage is always that of the pthread to which the context
 * belongs.
 *
 * A context is saved or runs; while it is saved exactly one caller may switch to it. The words of a saved context
 * belong to that caller. Switches are made inside the runtime, perhaps in the preemption handler. */
#pragma once
#include <stdint.h>

#include "platform/sanitizer.h"

struct fg_context {
	void *sp;
	void *tls;
};

/* Saves the running context in *from and goes to *to. There, with *from saved, it calls callback(arg) unless the
 * callback is NULL. Another worker may act at once upon anything that the callback publishes about *from. The function
 * returns when another context switches back to *from. The calling thread must be inside the runtime (fg_enter). */
void fg_context_switch(struct fg_context *from, const struct fg_context *to, void (*callback)(void *), void *arg);

#ifdef FG_TSAN
/* The same, announced: all that was done before the switch happens before all that *to and the callback do. */
void fg_context_switch_announced(struct fg_context *from, const struct fg_context *to, void (*callback)(void *),
				 void *arg);
#define fg_context_switch fg_context_switch_announced
#endif

/* Makes *context start entry() on the stack that ends at `top` (16-byte aligned), in the caller's floating-point
 * environment. entry never returns. Backtraces end there. */
void fg_context_make(struct fg_context *context, void *top, void *tls, void (*entry)(void));

/* Parks the calling kernel thread. It moves the thread to `stack` (the top of a piece of memory big enough for a signal
 * frame). Then it stores value to *word (release), wakes a thread that waits for that in the kernel, and sleeps while
 * the word keeps the value. From the store on it touches neither its old stack nor its thread-local storage: other
 * threads may use both. A thread gives them back by changing the word (release) and waking it. Then the parked thread
 * goes on with *then. */
_Noreturn void fg_context_park(uint32_t *word, uint32_t value, void *stack, const struct fg_context *then);

/* Addresses in the code, for a debugger (debugger/layout.c): where a context is just saved; the ends. While a kernel
 * thread is parked, it keeps `then` in r13 or x21. */
extern const char fg_context_switch_saved[], fg_context_switch_end[], fg_context_park_end[];

/* The thread pointer of the caller, and a function that gives it another for a moment (setxid.c). Meanwhile the caller
 * must not use thread-local storage. */
void *fg_context_tls(void);
void fg_context_tls_set(void *tls);

/* Chooses how the thread pointer is written: by wrfsbase or, where that is missing, by arch_prctl. */
void fg_context_init(void);
