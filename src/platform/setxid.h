/* setuid and its family in glibc (floor: platform; called by exec/thread/glibc.c). */
#pragma once

/* Puts a wrapper over glibc's handler of the signal by which setuid and the like reach all kernel threads, once that is installed:
 * by the first pthread_create. own_tls() runs in the handler: the thread pointer of the pthread that is this kernel thread, where
 * that is not the one it carries at the moment; else NULL. */
void fg_setxid_guard(void *(*own_tls)(void));
