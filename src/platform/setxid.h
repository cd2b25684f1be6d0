/* setuid and functions like it in glibc (floor: platform; called by exec/body/glibc.c and
 * libc/rights.c).
 *
 * The guard is set outside, once, where threads are made. fg_setxid_call runs on the calling thread, which has blocked
 * all signals, so it is not preempted. */
#pragma once

/* Puts a wrapper over glibc's handler of the signal by which setuid and the like reach all kernel threads. The first
 * pthread_create installs that handler, so this comes later. own_tls() runs in the handler. It returns the thread
 * pointer of the pthread that is this kernel thread, or NULL if the kernel thread carries that one at the moment. */
void fg_setxid_guard(void *(*own_tls)(void));

/* Calls one of those functions of the C library as the pthread of this thread pointer (NULL: the caller's). So the C
 * library sends the signal to all others. Meanwhile no signal of the program may arrive. *error: errno, if the result
 * is not 0. */
typedef int fg_setxid_function(unsigned long a, unsigned long b, unsigned long c);
int fg_setxid_call(void *tls, fg_setxid_function *function, const unsigned long argument[3], int *error);
