/* Sandbox: system calls that libgomp never makes, and that a seccomp filter may answer with the end of the process
 * (floor: platform; called where such a call is made). Each of them has a second way. This file says whether the first
 * one may be tried.
 *
 * A process without a filter may try all. A child tries out a filter that was there when the library was loaded. It
 * makes each call once, and the filter ends the child instead. A filter that the program installs later allows none of
 * them. A program that puts itself into a sandbox means it, and may forbid the child too.
 *
 * fg_sandbox_start runs in a constructor, and makes a child. Any thread may ask anywhere, also in a signal handler. An
 * answer of no is final. */
#pragma once
#include <stdbool.h>

enum fg_sandbox_call {
	FG_SANDBOX_MEMBARRIER, /* membarrier(2) */
	FG_SANDBOX_PERF,       /* perf_event_open(2), and the calls for its files */
	FG_SANDBOX_FILES,      /* open(2) of files of /proc and /sys */
	FG_SANDBOX_OWN_FILES,  /* close_range(2) */
	FG_SANDBOX_PAGES,      /* move_pages(2), get_mempolicy(2), mbind(2), msync(2) */
	FG_SANDBOX_READS,      /* process_vm_readv(2) */
	FG_SANDBOX_SIGNALS,    /* timers and signals for single threads, alternate signal stacks */
	FG_SANDBOX_NAMES,      /* names for threads */
	FG_SANDBOX_PLACES, /* sched_setaffinity(2), where the program does not ask for it, getcpu(2), sched_yield(2) */
	/* openat(2) and linkat(2) of a file without a name, mkdir(2), unlinkat(2), renameat2(2), fallocate(2),
	 * kill(2) of signal 0 */
	FG_SANDBOX_BOARD,
	FG_SANDBOX_SERVER,    /* socket(2), connect(2), sendto(2), recvfrom(2), ppoll(2), getsockopt(2) */
	FG_SANDBOX_STAND_INS, /* memfd_create(2), pwrite64(2) and getdents64(2) */
	FG_SANDBOX_CALLS
};

/* Called when the library is loaded, before the first call of this kind. */
void fg_sandbox_start(void);
/* The calling thread may make this call: it may be refused, but not punished. The function looks for a new filter each
 * time (0.2 us). It keeps errno and may be called in a signal handler. */
bool fg_sandbox_allows(enum fg_sandbox_call call);
