// Threads with an alternate stack for signals go on on stacks of a few KiB of their own, as goroutines do, in members or right after a region:
// the library's signals, which still come then, must leave those stacks alone.
// finding: 8
// mode: after
// mode: within
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "crowd.h"

#define SMALL 4096 /* less than a signal's frame and its handler need */
#define ALTERNATE 65536
#define MEMBERS 6
#define SECONDS 1.0

static __thread ucontext_t outside, inside;
static __thread char *small;

static void
give_alternate(void)
{
	stack_t stack = {.ss_size = ALTERNATE};

	if (sigaltstack(NULL, &stack) == 0 && !(stack.ss_flags & SS_DISABLE))
		return;
	stack = (stack_t){.ss_size = ALTERNATE};
	stack.ss_sp = mmap(NULL, ALTERNATE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(stack.ss_sp != MAP_FAILED && sigaltstack(&stack, NULL) == 0);
}

/* Looks at no clock: that takes more stack than there is. */
static void
goroutine(void)
{
	for (volatile int i = 0; i < 10000000; i++)
		;
}

/* The stack's last KiB is left to the loop; below it there is nothing. */
static void
go_on_small_stack(void)
{
	enum { USED = 1024 };

	if (!small) {
		small = mmap(NULL, 2 * SMALL, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK(small != MAP_FAILED && mprotect(small + SMALL, SMALL, PROT_READ | PROT_WRITE) == 0);
	}
	getcontext(&inside);
	inside.uc_stack.ss_sp = small + SMALL;
	inside.uc_stack.ss_size = USED;
	inside.uc_link = &outside;
	makecontext(&inside, goroutine, 0);
	swapcontext(&outside, &inside);
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "after";

	give_alternate();
	for (double end = check_now() + SECONDS; check_now() < end;)
		if (!strcmp(mode, "after")) {
			crowd_regions("spin", MEMBERS, 1);
			go_on_small_stack();
		} else {
#pragma omp parallel num_threads(MEMBERS)
			go_on_small_stack();
		}
	return check_end();
}
