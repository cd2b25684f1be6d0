/* Pthreads (floor: platform): see pthread.h. */
#define _GNU_SOURCE
#include "platform/pthread.h"

#include <limits.h>

#include "platform/stack.h"

int
fg_pthread_make(size_t size, void *(*start)(void *), void *arg)
{
	pthread_attr_t attr;
	pthread_t thread;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setguardsize(&attr, FG_STACK_GUARD);
	if (pthread_attr_setstacksize(&attr, size))
		pthread_attr_setstacksize(&attr, 8ul << 20);
	int error = pthread_create(&thread, &attr, start, arg);
	pthread_attr_destroy(&attr);
	return error;
}

int
fg_pthread_make_on(pthread_t *thread, void *low, size_t size, void *(*start)(void *), void *arg)
{
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, low, size);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	int error = pthread_create(thread, &attr, start, arg);
	pthread_attr_destroy(&attr);
	return error;
}

int
fg_pthread_stack_refused(size_t size)
{
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	int error = pthread_attr_setstacksize(&attr, size);
	pthread_attr_destroy(&attr);
	return error;
}

size_t
fg_pthread_stack_least(void)
{
	return (size_t)PTHREAD_STACK_MIN;
}

bool
fg_pthread_stack(uintptr_t *low, size_t *size)
{
	pthread_attr_t attr;
	void *start;
	if (pthread_getattr_np(pthread_self(), &attr) != 0)
		return false;
	pthread_attr_getstack(&attr, &start, size);
	pthread_attr_destroy(&attr);
	*low = (uintptr_t)start;
	return true;
}

void
fg_pthread_name(const char *name)
{
	pthread_setname_np(pthread_self(), name);
}

void
fg_pthread_exit(void)
{
	pthread_exit(NULL);
}
