/* Signal frames: going back to where a signal met a thread, on any kernel thread (floor: platform; called by
 * exec/watch/preempt.c).
 *
 * On x86-64 the kernel writes the registers of AMX into a frame only where the kernel thread has used AMX before. So
 * frames have two sizes. At sigreturn the kernel expects the size of its own kernel thread. It takes another frame for
 * one with only the registers of SSE, and the upper halves of AVX registers become zero. It has done so with frames too
 * large since Linux 5.16. Linux 6.8 looks for the second mark at its own size, so it does so with frames too small, too
 * (commit d877550eaf2d; stable kernels got it as well). Later kernels have the first check again. A member that is
 * preempted on one kernel thread and goes on on another may have either.
 *
 * So where there is AMX the runtime does not ask the kernel. The handler itself loads all registers, the last ones with
 * iret.
 *
 * The handler itself calls, on the thread that it met. It writes only the frame and registers. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At delivery the frame's handler runs on an alternate stack, that of the thread. */
bool fg_frame_is_alternate(const void *signal_context);
/* The signal met the thread on its alternate stack, in another handler. */
bool fg_frame_met_alternate(const void *signal_context);

/* The move of a frame from the alternate stack to the stack that the signal met. Then the alternate stack of that
 * kernel thread is free again, and other threads may use it while this thread is suspended. */
struct fg_frame_move {
	void (*handler)(int signal, siginfo_t *info, void *signal_context);
	uintptr_t low;		   /* end of the stack that the signal met */
	const void *frame_address; /* __builtin_frame_address(0) of the handler that the kernel called */
};
/* Goes on in move->handler as if the kernel had called that without an alternate stack. Returns only where there is no
 * room. */
void fg_frame_move(const struct fg_frame_move *move, int signal, siginfo_t *info, void *signal_context);

/* The last call of a handler that may have moved to another kernel thread. It returns where the kernel can be trusted
 * with the frame. */
void fg_frame_return(void *signal_context);

/* Goes on where the signal came, with the signal mask of the frame. Returns only where it has no way to do that. */
void fg_frame_resume(void *signal_context);
