/* Regions whose members change their PUs from region to region: `pinned ROUNDS [second|over|rests]`. Threadprivate
 * data stay with the number of a member. Barriers, tasks, loops, nested regions and teams of other sizes work as ever.
 * So they do with a second thread that meets regions: beside the first, or before that one goes on. Then the second
 * thread is over, or rests until the end. The program prints "right", or what was wrong. */
#include <forestgomp.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 8, WORK_NS = 500 };

static int wrong;
static unsigned long mine; /* of each member: its number, and how often it has run */
#pragma omp threadprivate(mine)

static void
complain(const char *what, long found, long expected)
{
#pragma omp critical
	if (found != expected && !wrong++)
		printf("%s: %ld, not %ld\n", what, found, expected);
}

static void
member_runs(unsigned long round, unsigned long region)
{
	unsigned long number = (unsigned long)omp_get_thread_num();
	fgomp_sim_work(WORK_NS + 37 * number * region);
	if (round == 0 && region == 0)
		mine = number << 32;
	complain("threadprivate data", (long)mine, (long)(number << 32 | (3 * round + region)));
	mine++;
}

static void
barriers(unsigned long round)
{
	unsigned long met = 0;
#pragma omp parallel num_threads(MEMBERS) shared(met)
	{
		member_runs(round, 0);
#pragma omp atomic
		met++;
#pragma omp barrier
		complain("members before the barrier", (long)met, MEMBERS);
	}
}

static void
tasks(unsigned long round)
{
	long sum = 0;
#pragma omp parallel num_threads(MEMBERS) shared(sum)
	{
		member_runs(round, 1);
#pragma omp single
		for (int i = 0; i < 3 * MEMBERS; i++)
#pragma omp task shared(sum) firstprivate(i)
		{
			fgomp_sim_work(WORK_NS);
#pragma omp atomic
			sum += i;
		}
	}
	complain("the sum of tasks", sum, 3 * MEMBERS * (3 * MEMBERS - 1) / 2);
}

static void
loops(unsigned long round)
{
	long sum = 0;
#pragma omp parallel num_threads(MEMBERS) reduction(+ : sum)
	{
		member_runs(round, 2);
#pragma omp for schedule(dynamic)
		for (int i = 0; i < 100; i++)
			sum += i;
		if (round % 7 == 0) {
			long inner = 0;
#pragma omp parallel num_threads(2) reduction(+ : inner)
			inner += omp_get_thread_num() + 1;
			complain("a nested region", inner, 3);
		}
	}
	complain("the sum of a loop", sum, 100 * 99 / 2);
}

static void
other_size(unsigned size)
{
	long sum = 0;
#pragma omp parallel num_threads(size) reduction(+ : sum)
	sum += omp_get_thread_num() + 1;
	complain("a team of another size", sum, (long)size * (size + 1) / 2);
}

static sem_t has_met, may_end;

static void *
second(void *how)
{
	for (unsigned long round = 0; round < 20; round++)
		other_size(round % 2 ? MEMBERS : 3);
	if (strcmp(how, "rests") == 0) {
		sem_post(&has_met);
		sem_wait(&may_end);
	}
	return NULL;
}

/* The second thread does as its word says; then the caller may go on. */
static void
start_second(pthread_t *thread, char *how)
{
	if (pthread_create(thread, NULL, second, how) != 0)
		abort();
	if (strcmp(how, "over") == 0)
		pthread_join(*thread, NULL);
	else if (strcmp(how, "rests") == 0)
		sem_wait(&has_met);
}

static void
end_second(pthread_t thread, const char *how)
{
	if (strcmp(how, "rests") == 0)
		sem_post(&may_end);
	if (strcmp(how, "over") != 0)
		pthread_join(thread, NULL);
}

int
main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	pthread_t thread;
	omp_set_max_active_levels(2);
	sem_init(&has_met, 0, 0);
	sem_init(&may_end, 0, 0);
	for (unsigned long round = 0; round < rounds; round++) {
		barriers(round);
		tasks(round);
		loops(round);
		if (round % 5 == 0)
			other_size(round % 2 ? 5 : 16);
		if (argc > 2 && round == rounds / 2)
			start_second(&thread, argv[2]);
	}
	if (argc > 2)
		end_second(thread, argv[2]);
	puts(wrong ? "wrong" : "right");
	return wrong != 0;
}
