/* Uncancelled (floor: base; around calls of the C library that may be cancellation points: messages, stdio, dlopen).
 *
 * A thread may come here with a pending pthread_cancel. Regions and routines of OpenMP are no cancellation points, so
 * the thread must not end before it is back in the program. Files are read and written by platform/file.h, which needs
 * none of this. A build with assertions checks each such call of the library (libc/inside.c). The calls act on the
 * calling pthread, outside the runtime or inside. They nest. */
#pragma once
#include <pthread.h>

/* Its result is for fg_uncancelled_end. */
static inline int
fg_uncancelled_begin(void)
{
	int before = PTHREAD_CANCEL_DISABLE;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	return before;
}
static inline void
fg_uncancelled_end(int before)
{
	pthread_setcancelstate(before, NULL);
}
