/* Signal frames: going back to where a signal met a thread, on whatever kernel thread (floor: platform; preempt.c).
 *
 * On x86-64 the kernel writes the registers of AMX into a frame only where the kernel thread has used AMX before. So frames have two sizes. At
 * sigreturn the kernel expects that of its own kernel thread, and takes another for one that has only the registers of SSE: the upper halves
 * of AVX registers become zero. Frames too large are taken so since Linux 5.16. From Linux 6.8 on (commit d877550eaf2d, which stable kernels got as
 * well) it looks for the second mark at its own size, so frames too small are, too. Later kernels have the first check again. A member that is
 * preempted on one kernel thread and goes on on another may have either.
 *
 * So where there is AMX the kernel is not asked: the handler itself loads all registers, the last ones with iret. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The frame's handler runs on an alternate stack: that of the thread's, at delivery. */
bool fg_frame_is_alternate(const void *signal_context);
/* The signal met the thread on its alternate stack, in another handler. */
bool fg_frame_met_alternate(const void *signal_context);

/* A frame that is moved from the alternate stack to the one that the signal met. That kernel thread's alternate stack is free again then, and others
 * may use it while this thread is suspended. */
struct fg_frame_move {
	void (*handler)(int signal, siginfo_t *info, void *signal_context);
	uintptr_t low;		   /* end of the stack that the signal met */
	const void *frame_address; /* __builtin_frame_address(0) of the handler that the kernel called */
};
/* Goes on in move->handler as if the kernel had called that, without an alternate stack. Returns only where there is no room. */
void fg_frame_move(const struct fg_frame_move *move, int signal, siginfo_t *info, void *signal_context);

/* The last thing that a handler does which may have moved to another kernel thread. It returns where the kernel can be trusted with it. */
void fg_frame_return(void *signal_context);

/* Goes on where the signal came, with the signal mask of the frame. Returns only where it has no way to do that. */
void fg_frame_resume(void *signal_context);
