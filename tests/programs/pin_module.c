// As likwid-pin and its like: each new thread is bound to the next CPU of the process's mask, in turn. Preloaded by
// pin.c.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

static int created;

int
pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		dlsym(RTLD_NEXT, "pthread_create");
	int error = real(thread, attr, start, arg), skip = __atomic_add_fetch(&created, 1, __ATOMIC_RELAXED);
	cpu_set_t mask, one;

	if (error || sched_getaffinity(0, sizeof mask, &mask))
		return error;
	int cpu = -1;
	for (int i = 0, left = skip % CPU_COUNT(&mask); i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &mask) && left-- == 0)
			cpu = i;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	pthread_setaffinity_np(*thread, sizeof one, &one);
	return 0;
}
