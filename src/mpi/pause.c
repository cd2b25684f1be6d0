/* Pause (floor: mpi): see pause.h. */
#include "mpi/pause.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <time.h>

#define SPIN_NS 30000	/* most waits of ranks in step end within it */
#define YIELD_NS 300000 /* a sleep takes that long at least, because timers are coarse */
#define LONG_NS 1000000
#define PART 32 /* a sleep is so small a part of the wait */
#define SLEEP_LEAST_NS 20000
#define SLEEP_MOST_NS 500000

/* The runtime's doors. Without ForestGOMP there are none. */
static void (*door_begins)(void), (*door_ends)(void);

__attribute__((constructor)) static void
find_doors(void)
{
	void *begins = dlsym(RTLD_DEFAULT, "fgomp_wait_begins"), *ends = dlsym(RTLD_DEFAULT, "fgomp_wait_ends");
	if (begins && ends) {
		door_begins = (void (*)(void))begins;
		door_ends = (void (*)(void))ends;
	}
}

static uint64_t
now_ns(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void
relax(void)
{
#if defined __x86_64__
	__builtin_ia32_pause();
#elif defined __aarch64__
	__asm__ volatile("yield");
#endif
}

static void
tell_begin(struct fg_mpi_wait *wait)
{
	wait->told = true;
	if (door_begins)
		door_begins();
}

static void
sleep_part(uint64_t waited)
{
	uint64_t ns = waited / PART;
	ns = ns < SLEEP_LEAST_NS ? SLEEP_LEAST_NS : ns > SLEEP_MOST_NS ? SLEEP_MOST_NS : ns;
	int saved = errno;
	nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
	errno = saved;
}

void
fg_mpi_pause(struct fg_mpi_wait *wait)
{
	uint64_t now = now_ns();
	if (!wait->begun)
		wait->begun = now;
	uint64_t waited = now - wait->begun;
	if (waited < SPIN_NS)
		relax();
	else if (waited < YIELD_NS)
		sched_yield();
	else {
		if (waited >= LONG_NS && !wait->told)
			tell_begin(wait);
		sleep_part(waited);
	}
}

void
fg_mpi_tell_end(void)
{
	if (door_ends)
		door_ends();
}
