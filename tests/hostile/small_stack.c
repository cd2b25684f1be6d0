// Threads with an alternate stack for signals go on on stacks of a few KiB of their own, as goroutines do, in members
// or right after a region. The library's signals, which still come then, must leave those stacks alone. Also alternate
// stacks without room for them, as small as the kernel takes them, and those that a member sets, gives back and frees.
// finding: 8
// mode: after
// mode: within
// mode: tiny
// mode: least
// mode: returned
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

/* With bytes below it that must stay as they are. */
static void
use_least(size_t size)
{
	enum { BELOW = 8192 };
	unsigned char *memory = malloc(BELOW + size);
	stack_t stack = {.ss_sp = memory + BELOW, .ss_size = size};

	memset(memory, 0xa5, BELOW);
	if (sigaltstack(&stack, NULL) != 0)
		return; /* new kernels take none that is so small */
	for (double end = check_now() + SECONDS; check_now() < end;)
		crowd_regions("spin", MEMBERS, 1);
	for (int i = 0; i < BELOW; i++)
		CHECK(memory[i] == 0xa5, "%d", i);
}

static void
set_and_return(void)
{
	void *memory = mmap(NULL, ALTERNATE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = {.ss_sp = memory, .ss_size = ALTERNATE}, old;

	CHECK(memory != MAP_FAILED && sigaltstack(&stack, &old) == 0);
	for (volatile int i = 0; i < 20000000; i++)
		;
	sigaltstack(&old, NULL);
	munmap(memory, ALTERNATE);
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "after";

	if (!strcmp(mode, "tiny") || !strcmp(mode, "least")) {
		use_least(!strcmp(mode, "tiny") ? 2048 : (size_t)sysconf(_SC_MINSIGSTKSZ));
		return check_end();
	}
	if (strcmp(mode, "returned"))
		give_alternate();
	for (double end = check_now() + SECONDS; check_now() < end;)
		if (!strcmp(mode, "after")) {
			crowd_regions("spin", MEMBERS, 1);
			go_on_small_stack();
		} else {
#pragma omp parallel num_threads(MEMBERS)
			if (!strcmp(mode, "within"))
				go_on_small_stack();
			else
				set_and_return();
		}
	return check_end();
}
