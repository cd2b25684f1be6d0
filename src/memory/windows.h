/* Windows: pages that go to the node of the thread that next touches them, or next writes to them (floor: memory;
 * called by team/alloc/manager.c, team/boot/process_fork.c, libc/signals.c, by exec/body/stack_overflow.c at faults).
 *
 * The program's pages are cut into windows of 64 to 512, at whole multiples of that. A window is closed: the system
 * lets no thread use its pages, or write to them. The first thread that tries opens the window, moves its pages to the
 * node where it runs, and goes on. Others that have tried meanwhile sleep until then. A closed window is no place for
 * memory that a system call reads or writes, because that fails with EFAULT. Only userfaultfd could serve the kernel's
 * own faults, and it needs a privilege for that, and knows writes only.
 *
 * Callers are outside, without a lock, and wait for threads that move a window. fg_windows_fault may be called at any
 * point of any thread's code. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum { FG_WINDOW_PAGES = 64, FG_WINDOW_PAGES_MOST = 512 };

struct fg_windows_wish {
	uintptr_t start, end; /* the pages that lie wholly between */
	bool writes;	      /* closed to writes only */
	/* Faults reach fg_windows_fault, and will until fg_windows_sigaction. */
	bool (*handled)(void);
};
enum fg_windows_result {
	FG_WINDOWS_CLOSED,
	FG_WINDOWS_NOT_HANDLED,
	FG_WINDOWS_NOT_OPEN, /* not all of the pages could be read and written before */
	FG_WINDOWS_NO_MEMORY,
};
/* Windows that are closed there open first. With another result than CLOSED, no window is closed there. */
enum fg_windows_result fg_windows_close(const struct fg_windows_wish *wish);
/* All windows that have pages there are open, and their pages stay where they lie. */
void fg_windows_open(uintptr_t start, uintptr_t end);
/* sigaction for SIGSEGV: all windows are open before faults can reach the program's handler. */
int fg_windows_sigaction(const struct sigaction *action, struct sigaction *old);

/* The calling thread may not use this address. True: it should try again. */
bool fg_windows_fault(const void *address);

/* In the child of a fork: all windows are open. */
void fg_windows_after_fork(void);
