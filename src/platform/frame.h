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

/* The last thing that a handler does which may have moved to another kernel thread. It returns where the kernel can be trusted with it. */
void fg_frame_return(void *signal_context);

/* Goes on where the signal came, with the signal mask of the frame. Returns only where it has no way to do that. */
void fg_frame_resume(void *signal_context);
