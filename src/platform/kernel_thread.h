/* Kernel threads of this process, as the kernel shows them (floor: platform; used by stuck/stand.c, stuck/reason.c and
 * stuck/tell.c, and built for them alone). No call takes a lock of the C library. The caller is the watcher, on a
 * thread of its own. Nothing is kept. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct fg_kernel_thread {
	enum { FG_KERNEL_UNKNOWN, FG_KERNEL_RUNS, FG_KERNEL_CALL } state;
	long call; /* FG_KERNEL_CALL: the system call's number; -1: it waits for something else, such as a page */
	uintptr_t argument;
	uintptr_t sp, pc; /* where it called; 0: not known */
};

/* The caller has asked the sandbox whether it may open files (platform/sandbox.h). */
void fg_kernel_thread_look(int tid, struct fg_kernel_thread *found);
/* The CPU time that it has used; 0: it does not exist any more. */
uint64_t fg_kernel_thread_used(int tid);
/* The name of a system call in which programs wait, or NULL. */
const char *fg_kernel_call_name(long call);
