// A member stands where no signal may take its PU away, and others of the same PU must run before it goes on. The last row of the table in
// docs/design.md: a spare takes the PU, whatever the member does.
// finding: net
// mode: handler
// mode: coroutine
// mode: blocked
// mode: stopped
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
	atomic_int tid, stopped, go_on, refused;
} *stage;

static void
debugger(void)
{
	while (!stage->tid)
		;
	int status, tid = stage->tid;
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) || ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) || waitpid(tid, &status, __WALL) != tid) {
		stage->refused = 1;
		_exit(0);
	}
	stage->stopped = 1;
	while (!stage->go_on)
		usleep(100);
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
	_exit(0);
}

/* The members with odd numbers have those with even ones before them on their PUs. */
static void
stopped_by_debugger(void)
{
	atomic_int done = 0;
	stage = mmap(NULL, sizeof *stage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child = fork();
	if (child == 0)
		debugger();
	prctl(PR_SET_PTRACER, child);
#pragma omp parallel num_threads(MEMBERS)
	{
		if (omp_get_thread_num() == 1) {
			stage->tid = (int)syscall(SYS_gettid);
			while (!stage->stopped && !stage->refused)
				;
		} else {
			while (!stage->stopped && !stage->refused)
				usleep(100);
			if (++done == MEMBERS - 1)
				stage->go_on = 1;
		}
	}
	waitpid(child, NULL, 0);
	if (stage->refused)
		exit(check_skip("this system does not let a child debug its parent"));
	CHECK(done == MEMBERS - 1, "%d", done);
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
