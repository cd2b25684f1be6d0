/* setuid and its family in glibc (floor: platform; called by exec/thread/glibc.c). */
#pragma once

/* Puts a wrapper over glibc's handler of the signal by which setuid and the like reach all kernel threads. The first
 * pthread_create installs that handler, so this comes later. own_tls() runs in the handler. It returns the thread
 * pointer of the pthread that is this kernel thread, or NULL if the kernel thread carries that one at the moment. */
void fg_setxid_guard(void *(*own_tls)(void));
