// One kind of work for a given time, on PUs that may come and go: bench/taken.py runs it. Prints microseconds for each
// operation. Members are not bound. OTHERS: so many further threads of the program have had a region before.
//   taken KIND SECONDS MEMBERS [OTHERS]
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;

static double
now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static void
compute(int turns)
{
	for (int i = 0; i < turns; i++)
		sink = i;
}

static long
barriers(int n)
{
#pragma omp parallel num_threads(n)
	for (int i = 0; i < 10000; i++) {
#pragma omp barrier
	}
	return 10000;
}

static long
regions(int n)
{
	for (int i = 0; i < 1000; i++) {
#pragma omp parallel num_threads(n)
		compute(1);
	}
	return 1000;
}

static long
loops(int n)
{
#pragma omp parallel num_threads(n)
	for (int r = 0; r < 300; r++) {
#pragma omp for
		for (int i = 0; i < 2000; i++)
			compute(1);
	}
	return 300;
}

/* Each member computes about as long as others would between two barriers. */
static long
phases(int n)
{
#pragma omp parallel num_threads(n)
	for (int r = 0; r < 200; r++) {
		compute(30000 / n);
#pragma omp barrier
	}
	return 200;
}

static long
nested(int n)
{
#pragma omp parallel num_threads(n)
	for (int r = 0; r < 300; r++) {
#pragma omp parallel num_threads(4)
		compute(200);
	}
	return 300;
}

static long
fib(int n)
{
	long a, b;
	if (n < 12)
		compute(10);
	if (n < 2)
		return n;
	if (n < 12)
		return fib(n - 1) + fib(n - 2);
#pragma omp task shared(a)
	a = fib(n - 1);
#pragma omp task shared(b)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

static long
tasks(int n)
{
#pragma omp parallel num_threads(n)
#pragma omp single
	fib(18);
	return 1;
}

/* Members compute for long, and call nothing of the runtime meanwhile. */
static long
computing(int n)
{
#pragma omp parallel num_threads(n)
	for (int r = 0; r < 2; r++) {
		compute(20000000);
#pragma omp barrier
	}
	return 2;
}

/* One member after the other sleeps in the kernel. The others compute. */
static long
sleeping(int n)
{
#pragma omp parallel num_threads(n)
	for (int r = 0; r < 20; r++) {
		if (r % n == omp_get_thread_num())
			usleep(200);
		else
			compute(300000);
#pragma omp barrier
	}
	return 20;
}

/* A twentieth of a PU: members compute for half a millisecond each 20. */
static long
sips(int n)
{
#pragma omp parallel num_threads(n)
	for (double end = now() + 1e-3 / n; now() < end;)
		compute(100);
	usleep(20000 - 1000 / n);
	return 1;
}

static const struct {
	const char *name;
	long (*run)(int members);
} kinds[] = {{"barrier", barriers}, {"region", regions}, {"for", loops},	   {"phases", phases},
	     {"nested", nested},    {"tasks", tasks},	 {"computing", computing}, {"sleeping", sleeping},
	     {"sips", sips}};

static void *
has_region(void *unused)
{
#pragma omp parallel num_threads(2)
	compute(1);
	return unused;
}

static void
have_regions(int others)
{
	pthread_t thread;
	for (int i = 0; i < others; i++)
		if (pthread_create(&thread, NULL, has_region, NULL) == 0)
			pthread_join(thread, NULL);
}

int
main(int count, char **words)
{
	const char *ballast = getenv("BALLAST"); /* MiB of memory, which a program gives back as it ends */
	size_t bytes = ballast ? strtoul(ballast, NULL, 10) << 20 : 0;
	char *memory = bytes ? malloc(bytes) : NULL;
	if (memory)
		memset(memory, 1, bytes);
	for (size_t i = 0; (count == 4 || count == 5) && i < sizeof kinds / sizeof *kinds; i++) {
		if (strcmp(words[1], kinds[i].name))
			continue;
		has_region(NULL);
		have_regions(count == 5 ? atoi(words[4]) : 0);
		double begin = now(), end = begin + atof(words[2]);
		long done = 0;
		omp_set_max_active_levels(2);
		while (now() < end)
			done += kinds[i].run(atoi(words[3]));
		printf("%.6f\n", (now() - begin) * 1e6 / done);
		return 0;
	}
	fprintf(stderr, "usage: taken barrier|region|for|phases|nested|tasks|computing|sleeping|sips "
			"SECONDS MEMBERS [OTHERS]\n");
	return 2;
}
