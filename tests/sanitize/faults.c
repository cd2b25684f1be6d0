// Faults in members that the address and leak sanitizers must find, and right code that they must not report. `faults
// NAME` does one; `faults none` does nothing wrong.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

static char *volatile kept;
static volatile int index_of_last = 16;

/* Each member in turn is suspended in the barrier while others write to their stacks, with a block that only its stack
 * refers to. */
static void
suspended_members(void)
{
#pragma omp parallel num_threads(6)
	{
		char *block = malloc(100);
		for (int i = 0; i < 20; i++) {
			char frame[200];
			memset(frame, i, sizeof frame);
#pragma omp barrier
			block[i] = frame[i];
#pragma omp parallel num_threads(2)
			{
				char inner[100];
				memset(inner, i, sizeof inner);
				block[20 + omp_get_thread_num()] = inner[i];
			}
		}
#pragma omp barrier
#pragma omp single
		if (__lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check())
			puts("a leak while all blocks are in use");
		free(block);
	}
}

/* Blocks that only tasks refer to which wait, in memory of the runtime's own. */
static void
waiting_tasks(void)
{
	int leaks = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		int first = 0;
#pragma omp task depend(out : first) shared(leaks)
		{
			usleep(50000); /* until the others have been made */
			leaks = __lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check();
		}
		for (int i = 0; i < 20; i++) {
			char *block = malloc(50);
#pragma omp task depend(in : first) firstprivate(block)
			free(block);
		}
	}
	if (leaks)
		puts("a leak while tasks wait that have the blocks");
}

static void
leak(void)
{
#pragma omp parallel num_threads(6)
	for (int i = 0; i < 20; i++) {
		kept = malloc(60);
#pragma omp barrier
		kept = NULL;
	}
}

static void
stack_overflow(void)
{
#pragma omp parallel num_threads(6)
	{
		char array[16] = {0};
#pragma omp barrier
		if (omp_get_thread_num() == 5)
			memset(array, 1, (size_t)index_of_last + 1);
#pragma omp barrier
	}
}

static void
heap_use_after_free(void)
{
	char *block = malloc(10);
#pragma omp parallel num_threads(6)
	{
#pragma omp single
		free(block);
		if (omp_get_thread_num() == 4)
			block[3] = 1;
	}
}

static void
use_after_return(void)
{
#pragma omp parallel num_threads(6)
	{
		char here = 1;
		if (omp_get_thread_num() == 3)
			kept = &here;
	}
	*kept = 2;
}

/* The members that wait are suspended when the process ends; the memory that they hold is in use. */
static void
exit_inside(void)
{
#pragma omp parallel num_threads(6)
	{
		char *volatile block = malloc(77);
		block[0] = 1;
		if (omp_get_thread_num() == 2) {
			usleep(20000);
			exit(0);
		}
#pragma omp barrier
		free(block);
	}
}

int
main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "none";
	omp_set_max_active_levels(2);
	if (!strcmp(name, "none")) {
		suspended_members();
		waiting_tasks();
	} else if (!strcmp(name, "exit_inside"))
		exit_inside();
	else if (!strcmp(name, "leak"))
		leak();
	else if (!strcmp(name, "stack-buffer-overflow"))
		stack_overflow();
	else if (!strcmp(name, "heap-use-after-free"))
		heap_use_after_free();
	else if (!strcmp(name, "stack-use-after-return"))
		use_after_return();
	return 0;
}
