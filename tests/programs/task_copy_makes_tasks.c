// A copy function of a task makes tasks itself, and so does the task's body, which another member runs: all are
// awaited, and each wait ends.
// threads: 2 3 8
// env: -
// env: FGOMP_SPIN=0
// limit: 30
#include <omp.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align, bool if_clause,
	       unsigned flags, void **depend, int priority, void *detach);

enum { ROUNDS = 100, CHILDREN = 4 };

static int copied, ran, ended;

static void
copy(void *to, void *from)
{
	memcpy(to, from, sizeof(int *));
	for (int i = 0; i < CHILDREN; i++)
#pragma omp task
#pragma omp atomic
		copied++;
	if (omp_get_thread_num() % 2) {
#pragma omp taskwait
	}
}

static void
body(void *data)
{
	int own = 0;

	for (int i = 0; i < CHILDREN; i++)
#pragma omp task shared(own)
	{
		usleep(i == 0 ? 300 : 0);
#pragma omp atomic
		own++;
	}
	usleep(50);
#pragma omp taskwait
	CHECK(own == CHILDREN, "%d", own);
#pragma omp atomic
	ran += **(int **)data;
}

int
main(void)
{
	int one = 1, *data = &one;

	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel
		{
#pragma omp single
			for (int i = 0; i < 3; i++)
				GOMP_task(body, &data, copy, sizeof data, sizeof data, true, 0, NULL, 0, NULL);
#pragma omp atomic
			ended++;
		}
	}
	CHECK(ran == 3 * ROUNDS, "%d", ran);
	CHECK(copied == 3 * ROUNDS * CHILDREN, "%d", copied);
	return check_end();
}
