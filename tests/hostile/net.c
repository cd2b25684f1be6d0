// A member stands where no signal may take its PU away, and others of the same PU must run before it goes on. The last
// row of the table in docs/design.md: a spare takes the PU in each of these states.
// finding: net
// mode: handler
// mode: coroutine
// mode: blocked
// mode: stopped
// limit: 20
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "crowd.h"

#define MEMBERS 8
#define STACK (256 << 10)

static struct crowd crowd;
static __thread int me, good;

static void
take_turn(void)
{
	good = crowd_member(&crowd, me);
}

/* Each waits within its own handler. */
static void
on_signal(int number)
{
	(void)number;
	take_turn();
}

static void
by_handler(void)
{
	raise(SIGUSR1);
}

static void
by_coroutine(void)
{
	static char stacks[MEMBERS][STACK];
	ucontext_t here, there;
	getcontext(&there);
	there.uc_stack.ss_sp = stacks[me];
	there.uc_stack.ss_size = STACK;
	there.uc_link = &here;
	makecontext(&there, take_turn, 0);
	swapcontext(&here, &there);
}

/* By a system call that no library sees. */
static void
by_blocked(void)
{
	uint64_t all = ~0ull, old;
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &old, sizeof all);
	take_turn();
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, sizeof old);
}

static void
in_turn(void (*way)(void))
{
	int bad = 0;
	crowd_begin(&crowd, "spin", MEMBERS);
#pragma omp parallel num_threads(MEMBERS) reduction(+ : bad)
	{
		me = omp_get_thread_num();
		way();
		bad = !good;
	}
	CHECK(bad == 0, "%d", bad);
	crowd_end(&crowd);
}

/* Shared with the debugger, a child. */
static struct stage {
	atomic_int tid, stopped, go_on, went_on, refused;
} *stage;

#define HOLD_TURNS 100000 /* ten seconds and more */

static void
debugger(void)
{
	while (!stage->tid)
		;
	int status, tid = stage->tid;
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) || ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) ||
	    waitpid(tid, &status, __WALL) != tid) {
		stage->refused = 1;
		_exit(0);
	}
	stage->stopped = 1;
	for (int i = 0; i < HOLD_TURNS && !stage->go_on; i++)
		usleep(100);
	stage->went_on = stage->go_on;
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
	_exit(0);
}

/* All members but one get to the end, whichever was on the kernel thread that was stopped. False: they did not while
 * that was held. */
static int
others_go_on(void)
{
	atomic_int done = 0;
	*stage = (struct stage){0};
	pid_t child = fork();
	if (child == 0)
		debugger();
	prctl(PR_SET_PTRACER, child);
#pragma omp parallel num_threads(MEMBERS)
	{
		if (omp_get_thread_num() == 1)
			stage->tid = (int)syscall(SYS_gettid);
		while (!stage->stopped && !stage->refused)
			if (omp_get_thread_num() != 1)
				usleep(100);
		if (++done == MEMBERS - 1)
			stage->go_on = 1;
	}
	int status;
	return waitpid(child, &status, 0) == child && stage->went_on;
}

/* One that is stopped inside the runtime, with a lock perhaps, cannot be relieved: then once more. */
static void
stopped_by_debugger(void)
{
	int went_on = 0;
	stage = mmap(NULL, sizeof *stage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < 3 && !went_on && !stage->refused; i++)
		went_on = others_go_on();
	if (stage->refused)
		exit(check_skip("this system does not let a child debug its parent"));
	CHECK(went_on);
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "handler";
	signal(SIGUSR1, on_signal);
	if (!strcmp(mode, "stopped"))
		stopped_by_debugger();
	else
		in_turn(!strcmp(mode, "handler") ? by_handler : !strcmp(mode, "coroutine") ? by_coroutine : by_blocked);
	return check_end();
}
