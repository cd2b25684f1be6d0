/* Cases of stuck.c: members wait for tasks. */
#pragma once
#include <omp.h>

#include "stuck.h"

static omp_event_handle_t handle;

static void
by_event(void)
{
	omp_fulfill_event(handle);
}

static void
event(void)
{
	int x = 0;
	pthread_t thread = release_with(by_event);
#pragma omp parallel num_threads(THREADS)
#pragma omp master
	{
		omp_event_handle_t made;
#pragma omp task detach(made) shared(x)
		{
			handle = made;
			x++;
		}
#pragma omp taskwait
		x++;
	}
	CHECK(x == 2);
	pthread_join(thread, NULL);
	stderr_back();
	says(1, "member 0 waits for its child tasks, in a taskwait, in event");
	says(1, "tasks: 1 not complete, none of them ready to be run");
	says(1, "detached tasks: 1 whose event is not fulfilled");
}

static void
depend(void)
{
	int x = 0, seen = 0;
	pthread_t thread = release_with(by_event);
#pragma omp parallel num_threads(THREADS)
#pragma omp master
	{
		omp_event_handle_t made;
#pragma omp task detach(made) depend(out : x)
		handle = made;
#pragma omp task depend(inout : x) shared(x)
		x++;
#pragma omp taskwait depend(in : x)
		seen = x;
	}
	CHECK(seen == 1);
	pthread_join(thread, NULL);
	stderr_back();
	says(1, "member 0 waits for the tasks that a taskwait depends on, in depend");
	says(1, "tasks: 2 not complete, none of them ready to be run");
}

static void
taskgroup(void)
{
	pthread_t thread = release_with(by_pipe);
#pragma omp parallel num_threads(2)
#pragma omp master
	{
#pragma omp taskgroup
		{
			omp_event_handle_t made;
#pragma omp task detach(made)
			handle = made;
#pragma omp task
			{
				wait_in_read();
				omp_fulfill_event(handle);
			}
		}
		__asm__ volatile("");
	}
	pthread_join(thread, NULL);
	stderr_back();
	says(1, "is in the system call read, in an explicit task, in wait_in_read");
	CHECK(count("waits for the tasks of a taskgroup, in taskgroup") <= 1);
	says(1, "tasks: 2 not complete");
}
