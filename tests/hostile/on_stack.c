// A handler of SIGURG was there first and needs its alternate stack. Such is the handler of Go's runtime, whose threads
// stand on stacks of a few KiB. The signal goes on coming as the program wants it while members are preempted.
// finding: 8
// mode: here
// mode: restored
// mode: later
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "crowd.h"

#define SMALL 4096 /* too little for a signal's frame */
#define ALTERNATE 65536
#define THREADS 3
#define SECONDS 1.0

static __thread char *alternate; /* of this thread */
static atomic_int calls, off_stack, wrong_info, stop;
static atomic_int ready;
static pthread_t threads[THREADS];

static void
on_urgent(int signal, siginfo_t *info, void *context)
{
	char here;

	calls++;
	off_stack += !(alternate && &here >= alternate && &here < alternate + ALTERNATE);
	wrong_info += signal != SIGURG || !context || info->si_pid != getpid();
}

static void
install(void)
{
	struct sigaction action = {.sa_sigaction = on_urgent, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};

	sigfillset(&action.sa_mask);
	CHECK(sigaction(SIGURG, &action, NULL) == 0);
}

static void
give_alternate(void)
{
	char *memory = mmap(NULL, ALTERNATE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = {.ss_sp = memory, .ss_size = ALTERNATE};

	CHECK(memory != MAP_FAILED && sigaltstack(&stack, NULL) == 0);
	alternate = memory;
}

static __thread ucontext_t outside, inside;

static void
goroutine(void)
{
	ready++;
	while (!atomic_load(&stop))
		;
}

/* The page below the small stack is not there. */
static void *
small_stacked(void *arg)
{
	char *memory = mmap(NULL, 2 * SMALL, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(memory != MAP_FAILED && mprotect(memory + SMALL, SMALL, PROT_READ | PROT_WRITE) == 0);
	give_alternate();
	getcontext(&inside);
	inside.uc_stack.ss_sp = memory + SMALL;
	inside.uc_stack.ss_size = SMALL;
	inside.uc_link = &outside;
	makecontext(&inside, goroutine, 0);
	swapcontext(&outside, &inside);
	return arg;
}

static void *
sender(void *arg)
{
	while (!atomic_load(&stop)) {
		for (int i = 0; i < THREADS; i++)
			pthread_kill(threads[i], SIGURG);
		usleep(1000);
	}
	return arg;
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "here";
	pthread_t one;

	if (strcmp(mode, "later"))
		install();
	else
		crowd_regions("spin", 8, 1);
	give_alternate();
	if (!strcmp(mode, "later"))
		install();
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, small_stacked, NULL) == 0);
	while (ready < THREADS)
		usleep(1000);
	pthread_create(&one, NULL, sender, NULL);
	for (double end = check_now() + SECONDS; check_now() < end || calls == 0;) {
		crowd_regions("cond", 8, 1);
		if (!strcmp(mode, "restored"))
			install(); /* as a library that sees to its handler now and then */
	}
	stop = 1;
	pthread_join(one, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK(off_stack == 0, "%d of %d calls were not on the alternate stack", off_stack, calls);
	CHECK(wrong_info == 0, "%d of %d calls were none of ours", wrong_info, calls);
	struct sigaction now;
	CHECK(sigaction(SIGURG, NULL, &now) == 0 && now.sa_sigaction == on_urgent && now.sa_flags & SA_ONSTACK,
	      "the handler has been replaced");
	return check_end();
}
