/* Preload (floor: sim; a library of its own, which has nothing of the project but seam.h and
 * platform/system_call.c). `forestgomp sim` puts
 * these clocks, sleeps and waits before those of the C library. A wait is a loop: it tries, and lets the other threads
 * of the simulated machine go on. All other functions stay live; docs/simulator.md lists them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "platform/system_call.h"
#include "sim/seam.h"

#define VISIBLE __attribute__((visibility("default")))
#define SECOND UINT64_C(1000000000)

VISIBLE struct fg_sim_seam fg_sim_seam;

static int
simulated(void)
{
	return fg_sim_seam.is_here && fg_sim_seam.is_here();
}

#define NEXT(name) ((__typeof__(&(name)))next_of(#name))

static void *
next_of(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static struct timespec
as_timespec(uint64_t ns)
{
	return (struct timespec){(time_t)(ns / SECOND), (long)(ns % SECOND)};
}

static uint64_t
as_ns(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec;
}

/* Each clock begins at the time of the real one, and goes on with virtual time. */
static uint64_t
read_clock(clockid_t clock)
{
	static uint64_t began[CLOCK_TAI + 1];
	if (!began[clock]) {
		struct timespec now;
		fg_system_call_clock(clock, &now);
		began[clock] = as_ns(&now) - fg_sim_seam.now();
	}
	return began[clock] + fg_sim_seam.now();
}

static int
is_time(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
	       clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME;
}

VISIBLE int
clock_gettime(clockid_t clock, struct timespec *now)
{
	if (!is_time(clock) || !simulated())
		return fg_system_call_clock(clock, now);
	*now = as_timespec(read_clock(clock));
	return 0;
}

VISIBLE int
gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	(void)zone;
	struct timespec time;
	int result = clock_gettime(CLOCK_REALTIME, &time);
	*now = (struct timeval){time.tv_sec, time.tv_nsec / 1000};
	return result;
}

VISIBLE time_t
time(time_t *seconds)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (seconds)
		*seconds = now.tv_sec;
	return now.tv_sec;
}

VISIBLE int
clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left)
{
	if (!is_time(clock) || !simulated())
		return NEXT(clock_nanosleep)(clock, flags, wanted, left);
	if (wanted->tv_sec < 0 || wanted->tv_nsec < 0 || wanted->tv_nsec >= (long)SECOND)
		return EINVAL;
	uint64_t now = fg_sim_seam.now(), ns = as_ns(wanted), here = read_clock(clock);
	if (flags & TIMER_ABSTIME)
		ns = ns > here ? ns - here : 0;
	fg_sim_seam.sleep_until(now + ns);
	return 0;
}

VISIBLE int
nanosleep(const struct timespec *wanted, struct timespec *left)
{
	if (!simulated())
		return NEXT(nanosleep)(wanted, left);
	int error = clock_nanosleep(CLOCK_MONOTONIC, 0, wanted, left);
	errno = error ? error : errno;
	return error ? -1 : 0;
}

VISIBLE int
usleep(useconds_t us)
{
	struct timespec time = as_timespec((uint64_t)us * 1000);
	return nanosleep(&time, NULL);
}

VISIBLE unsigned
sleep(unsigned seconds)
{
	if (!simulated())
		return NEXT(sleep)(seconds);
	struct timespec time = {(time_t)seconds, 0};
	nanosleep(&time, NULL);
	return 0;
}

VISIBLE int
pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static __typeof__(&pthread_mutex_lock) live;
	if (!simulated()) {
		if (!live)
			live = NEXT(pthread_mutex_lock);
		return live(mutex);
	}
	int error;
	while ((error = pthread_mutex_trylock(mutex)) == EBUSY)
		fg_sim_seam.let_others();
	return error;
}

/* The function returns without being signalled. POSIX allows that at any time, and every caller is prepared for it. */
VISIBLE int
pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	if (!simulated())
		return NEXT(pthread_cond_wait)(condition, mutex);
	int error = pthread_mutex_unlock(mutex);
	if (error)
		return error;
	fg_sim_seam.let_others();
	return pthread_mutex_lock(mutex);
}

VISIBLE int
pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
	if (!simulated())
		return NEXT(pthread_cond_timedwait)(condition, mutex, until);
	int error = pthread_cond_wait(condition, mutex);
	return error ? error : read_clock(CLOCK_REALTIME) >= as_ns(until) ? ETIMEDOUT : 0;
}

VISIBLE int
sem_wait(sem_t *semaphore)
{
	if (!simulated())
		return NEXT(sem_wait)(semaphore);
	while (sem_trywait(semaphore) != 0) {
		if (errno != EAGAIN)
			return -1;
		fg_sim_seam.let_others();
	}
	return 0;
}

/* The runtime's own pthreads are no threads of the program. */
static int
is_program(void *caller)
{
	Dl_info from, runtime;
	return !dladdr(caller, &from) || !dladdr(*(void **)&fg_sim_seam.now, &runtime) ||
	       from.dli_fbase != runtime.dli_fbase;
}

VISIBLE int
pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*start)(void *),
	       void *restrict arg)
{
	int detached = PTHREAD_CREATE_JOINABLE;
	if (!simulated() || !is_program(__builtin_return_address(0)))
		return NEXT(pthread_create)(thread, attributes, start, arg);
	if (attributes)
		pthread_attr_getdetachstate(attributes, &detached);
	return fg_sim_seam.create(thread, detached == PTHREAD_CREATE_DETACHED, start, arg);
}

VISIBLE int
pthread_join(pthread_t thread, void **result)
{
	return simulated() && fg_sim_seam.join(thread, result) ? 0 : NEXT(pthread_join)(thread, result);
}

VISIBLE int
pthread_detach(pthread_t thread)
{
	return simulated() && fg_sim_seam.detach(thread) ? 0 : NEXT(pthread_detach)(thread);
}

VISIBLE void
pthread_exit(void *result)
{
	if (simulated())
		fg_sim_seam.exit(result);
	NEXT(pthread_exit)(result);
	__builtin_unreachable();
}

VISIBLE int
sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	if (fg_sim_seam.affinity) {
		fg_sim_seam.affinity(size, set);
		return 0;
	}
	memset(set, 0, size);
	return fg_system_call_affinity(pid, size, set);
}

/* An actor has no place on the real machine, so nothing is bound. */
VISIBLE int
sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	if (fg_sim_seam.affinity)
		return 0;
	return fg_system_call_bind(pid, size, set);
}

VISIBLE int
pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
	if (!fg_sim_seam.affinity)
		return NEXT(pthread_getaffinity_np)(thread, size, set);
	fg_sim_seam.affinity(size, set);
	return 0;
}

VISIBLE int
pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
	return fg_sim_seam.affinity ? 0 : NEXT(pthread_setaffinity_np)(thread, size, set);
}
