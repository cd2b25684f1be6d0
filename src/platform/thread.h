/* Kernel threads: the caller's number, signals for a single one, and the caller's turns on its PU (floor: platform;
 * called by exec and libc).
 *
 * A signal handler may call all of these but the last. They are system calls, because the C library's functions take a
 * pthread where the runtime means a kernel thread, and because the library itself defines some of those names
 * (libc). */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* The number of the calling kernel thread. A pthread's own may be another, because other kernel threads carry it. */
int fg_thread_id(void);
/* Sends a signal to a kernel thread of this process; 0: it only looks whether there is one. Returns 0, or -1 and sets
 * errno. */
int fg_thread_signal(int tid, int number);
/* The same with a value, which the handler finds in si_value. */
int fg_thread_signal_value(int tid, int number, const void *value);
/* The same with all that the handler is told. */
int fg_thread_signal_info(int tid, int number, siginfo_t *info);
/* sched_yield. */
int fg_thread_yield(void);
/* Sleeps for so long, below a second, or until a signal comes. It is no cancellation point. */
void fg_thread_sleep(uint64_t ns);
/* How often the caller gave up its PU so far: because it had to wait, and because the kernel took it away. */
void fg_thread_switches(uint64_t *blocked, uint64_t *forced);
/* A pthread of the runtime may call pthread_exit. The C library loads an unwinder for that, and ends the process where
 * it cannot, because the process has no file descriptor left, for example. So this loads it before. It may wait for
 * locks of the C library. */
bool fg_thread_may_end(void);
