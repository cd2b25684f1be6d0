// Members that run coroutines on small stacks of their own, with a page below that is not there: nothing is put onto
// these stacks that the program does not put there.
// finding: 21
// mode: computes 4096
// mode: waits 4096
// mode: waits 16384
// mode: computes 16384
#include <sys/mman.h>
#include <ucontext.h>

#include "crowd.h"

#define MEMBERS 6
#define ROUNDS 5

static const char *mode;
static size_t size;
static atomic_int turn;

struct fiber {
	ucontext_t outside, inside;
	int mine;
};

static __thread struct fiber *current;

static void
body(void)
{
	struct fiber *fiber = current;
	volatile unsigned x = 1;

	if (!strcmp(mode, "waits"))
		while (atomic_load(&turn) < fiber->mine)
			;
	else
		for (int i = 0; i < 5000000; i++)
			x = x * 1664525 + 1013904223;
	atomic_fetch_add(&turn, 1);
}

static void
member(int me)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, page + size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct fiber fiber = {.mine = MEMBERS - 1 - me};

	CHECK(memory != MAP_FAILED && mprotect(memory + page, size, PROT_READ | PROT_WRITE) == 0);
	getcontext(&fiber.inside);
	fiber.inside.uc_stack.ss_sp = memory + page;
	fiber.inside.uc_stack.ss_size = size;
	fiber.inside.uc_link = &fiber.outside;
	current = &fiber;
	makecontext(&fiber.inside, body, 0);
	swapcontext(&fiber.outside, &fiber.inside);
	munmap(memory, page + size);
}

int
main(int argc, char **argv)
{
	mode = argc > 1 ? argv[1] : "computes";
	size = argc > 2 ? (size_t)atol(argv[2]) : 4096;
	for (int round = 0; round < ROUNDS; round++) {
		turn = 0;
#pragma omp parallel num_threads(MEMBERS)
		member(omp_get_thread_num());
		CHECK(turn == MEMBERS, "%d", turn);
	}
	return check_end();
}
