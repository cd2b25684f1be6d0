/* Waits and clocks of the program's own code. `waits CASE`: exit status 0 if all went as it should. */
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "forestgomp.h"

static double
seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* An hour passes at once. */
static int
sleeps(void)
{
	double before = omp_get_wtime(), also = seconds();
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num())
			usleep(1000000);
		else {
			struct timespec hour = {3600, 0};
			nanosleep(&hour, NULL);
		}
	}
	double took = omp_get_wtime() - before, as_well = seconds() - also;
	return took < 3600 || took > 3601 || as_well < 3600 || as_well > 3601;
}

static int
mutex(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	int count = 0;
#pragma omp parallel num_threads(8)
	for (int i = 0; i < 50; i++) {
		pthread_mutex_lock(&mutex);
		int seen = count;
		fgomp_sim_work(1000);
#pragma omp taskyield
		count = seen + 1;
		pthread_mutex_unlock(&mutex);
	}
	return count != 400;
}

static int
condition(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	static int turn;
#pragma omp parallel num_threads(6)
	for (int round = 0; round < 5; round++) {
		pthread_mutex_lock(&mutex);
		while (turn % omp_get_num_threads() != omp_get_thread_num())
			pthread_cond_wait(&condition, &mutex);
		turn++;
		pthread_cond_broadcast(&condition);
		pthread_mutex_unlock(&mutex);
	}
	return turn != 30;
}

/* No call of any library: only the watchdog can end it. */
static int
spin(void)
{
	static atomic_int arrived;
	int members = 0;
#pragma omp parallel num_threads(6)
	{
#pragma omp single
		members = omp_get_num_threads();
		for (int round = 1; round <= 3; round++) {
			atomic_fetch_add(&arrived, 1);
			while (atomic_load(&arrived) < round * members)
				;
		}
	}
	return atomic_load(&arrived) != 3 * members;
}

static void *
region(void *arg)
{
#pragma omp parallel num_threads(2)
	*(int *)arg = 1;
	return arg;
}

static int
foreign(void)
{
	pthread_t thread;
	int ran = 0;
	pthread_create(&thread, NULL, region, &ran);
	pthread_join(thread, NULL);
	return !ran;
}

/* An event that no thread fulfils. */
static omp_event_handle_t kept;

static int
stuck(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		omp_event_handle_t event;
#pragma omp task detach(event)
		kept = event;
#pragma omp taskwait
	}
	return 0;
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} cases[] = {{"sleeps", sleeps}, {"mutex", mutex},     {"condition", condition},
		     {"spin", spin},	 {"foreign", foreign}, {"stuck", stuck}};
	for (unsigned i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++)
		if (!strcmp(argv[1], cases[i].name)) {
			int wrong = cases[i].run();
			if (wrong)
				printf("%s went wrong\n", argv[1]);
			return wrong;
		}
	return 2;
}
