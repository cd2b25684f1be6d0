// The alternate stack that a member sets is its own, wherever it goes on; and a member that has set none has none.
// finding: 10
// mode: follows
// mode: nested
// mode: restored
// mode: threads
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>

#include "crowd.h"

#define SECONDS 0.5
#define ALTERNATE 65536
#define MEMBERS 8
#define INNER 4

static __thread char *mine;
static atomic_int handled, elsewhere;

static void
on_signal(int signal)
{
	char here;

	handled += signal != 0;
	elsewhere += !mine || (size_t)(&here - mine) >= ALTERNATE;
	for (int i = 0; i < 4; i++)
		sched_yield();
}

static char *
set(void)
{
	stack_t stack = {.ss_size = ALTERNATE}, old;

	stack.ss_sp = mmap(NULL, ALTERNATE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(stack.ss_sp != MAP_FAILED && sigaltstack(&stack, &old) == 0);
	CHECK(old.ss_flags & SS_DISABLE, "%p %x", old.ss_sp, old.ss_flags);
	return mine = stack.ss_sp;
}

static void
check_mine(void)
{
	stack_t stack;

	CHECK(sigaltstack(NULL, &stack) == 0);
	CHECK(!(stack.ss_flags & SS_DISABLE) && stack.ss_sp == mine && stack.ss_size == ALTERNATE, "%p, not %p",
	      stack.ss_sp, mine);
}

static void
check_none(void)
{
	stack_t stack;

	CHECK(sigaltstack(NULL, &stack) == 0 && stack.ss_flags & SS_DISABLE, "%p", stack.ss_sp);
}

/* It is taken away, not the memory: libgomp's threads keep it. */
static void
take_away(void)
{
	stack_t none = {.ss_flags = SS_DISABLE};

	CHECK(sigaltstack(&none, NULL) == 0);
	check_none();
	munmap(mine, ALTERNATE);
	mine = NULL;
}

/* Odd members have one. They wait for each other, and each goes on where there is room. */
static void
follows(void)
{
	static atomic_int turn;
	int odd = omp_get_thread_num() & 1;

	turn = 0;
#pragma omp barrier
	if (odd)
		set();
	for (int round = 1; round <= 20; round++) {
		check_burn(200);
		turn++;
		while (turn < round * MEMBERS)
			;
		if (odd) {
			check_mine();
			raise(SIGUSR1);
		}
#pragma omp barrier
	}
	if (odd)
		take_away();
	else if (omp_get_thread_num())
		check_none();
}

static void
restored(void)
{
	for (int round = 0; round < 20; round++) {
		set();
		check_burn(200);
		raise(SIGUSR1);
#pragma omp barrier
		take_away();
#pragma omp barrier
	}
}

/* Each second member leaves its own behind, when it ends. */
static void
nested(void)
{
#pragma omp parallel num_threads(INNER)
	if (omp_get_thread_num()) {
		check_none();
		if (omp_get_thread_num() & 1) {
			set();
			check_burn(100);
			raise(SIGUSR1);
			check_mine();
			munmap(mine, ALTERNATE);
			mine = NULL;
		}
	}
}

static void *
thread(void *unused)
{
#pragma omp parallel num_threads(MEMBERS)
	for (int round = 0; round < 2; round++) {
		if (omp_get_thread_num() && round == 0) {
			check_none();
			set();
		} else if (omp_get_thread_num())
			check_mine();
#pragma omp barrier
	}
	return unused;
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "follows";
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK};

	sigaction(SIGUSR1, &action, NULL);
	omp_set_max_active_levels(2);
	int threads = !strcmp(mode, "threads");
	for (double end = check_now() + SECONDS; check_now() < end || (handled == 0 && !threads);)
		if (threads) {
			pthread_t pthread;
			CHECK(pthread_create(&pthread, NULL, thread, NULL) == 0);
			pthread_join(pthread, NULL);
		} else {
#pragma omp parallel num_threads(MEMBERS)
			if (!strcmp(mode, "nested"))
				nested();
			else if (!strcmp(mode, "restored"))
				restored();
			else
				follows();
		}
	CHECK(elsewhere == 0, "%d of %d handlers ran elsewhere", elsewhere, handled);
	return check_end();
}
