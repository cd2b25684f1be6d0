/* Affinity: the PUs that a kernel thread may use, as the C library tells them (floor: platform; called by machine and
 * team). The simulated machine shows its own PUs; system_call.h asks the system itself. Any thread may call, inside or
 * outside, with any lock and in a signal handler: each is a system call. Nothing is kept. */
#pragma once
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

/* tid 0: the caller. Returns 0, or -1 and sets errno. */
static inline int
fg_affinity_get(int tid, size_t size, cpu_set_t *set)
{
	return sched_getaffinity(tid, size, set);
}

static inline int
fg_affinity_set(int tid, size_t size, const cpu_set_t *set)
{
	return sched_setaffinity(tid, size, set);
}

/* Of the pthread that calls. Returns 0 or an error number. */
static inline int
fg_affinity_of_caller(size_t size, cpu_set_t *set)
{
	return pthread_getaffinity_np(pthread_self(), size, set);
}
