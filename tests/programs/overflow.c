// A member that runs over its stack: one line names the thread and the variable to raise, and the process dies by
// SIGSEGV as ever. Other faults, the initial thread, and programs with a handler of their own are left alone.
// stock: fails (says nothing)
// env: OMP_STACKSIZE=512k
// env: OMP_STACKSIZE=512k FGOMP_THREADS=kernel
// env: FGOMP_STACKSIZE=1M
// limit: 60
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "check.h"

enum how {
	DEEP,
	WIDE,
	ALL,
	NO_ROOM,
	NESTED,
	NOWHERE,
	SENT,
	INITIAL,
	HANDLER_BEFORE,
	HANDLER_AFTER,
	HANDLER_STACK,
	WAYS
};

static volatile int sink;

static int __attribute__((noinline)) deep(int left)
{
	volatile char room[2000];

	room[0] = (char)left;
	return left ? deep(left - 1) + room[0] : 0;
}

/* Touched at its low end first: far below the guard. */
static void __attribute__((noinline)) wide(size_t size)
{
	volatile char room[size];

	for (size_t i = 0; i < size; i += 4096)
		room[i] = 1;
	sink = room[size / 2];
}

static void
nothing(int number)
{
	(void)number;
}

/* A signal arrives where there is no room for its frame. */
static int __attribute__((noinline)) no_room(const char *low)
{
	volatile char room[100];

	room[0] = 1;
	if ((const char *)&room > low + 1000)
		return no_room(low) + room[0];
	return raise(SIGUSR1);
}

static void
no_room_in(void)
{
	pthread_attr_t attr;
	void *low;
	size_t size;

	signal(SIGUSR1, nothing);
	raise(SIGUSR1);
	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &low, &size);
	no_room(low);
}

static void
handler(int number)
{
	(void)number;
	_exit(42);
}

static void
handler_install(int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

	sigaction(SIGSEGV, &action, NULL);
}

static void
own_stack(void)
{
	stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};

	CHECK(sigaltstack(&stack, NULL) == 0);
}

static void
fault(enum how how)
{
	switch (how) {
	case WIDE:
		wide(60000000);
		break;
	case NOWHERE:
	case HANDLER_BEFORE:
	case HANDLER_AFTER:
		*(volatile int *)16 = 1;
		break;
	case NO_ROOM:
		no_room_in();
		break;
	case SENT:
		kill(getpid(), SIGSEGV);
		sleep(5);
		break;
	case NESTED:
#pragma omp parallel num_threads(3)
		if (omp_get_thread_num() == 2)
			deep(100000000);
		break;
	case HANDLER_STACK:
		own_stack();
		deep(100000000);
		break;
	default:
		deep(100000000);
	}
}

static void
die(enum how how, int who)
{
	struct rlimit no_core = {0, 0};

	setrlimit(RLIMIT_CORE, &no_core);
	omp_set_max_active_levels(2);
	if (how == HANDLER_BEFORE)
		handler_install(0);
#pragma omp parallel num_threads(4)
	{
#pragma omp barrier
#pragma omp master
		if (how == HANDLER_AFTER || how == HANDLER_STACK)
			handler_install(how == HANDLER_STACK ? SA_ONSTACK : 0);
#pragma omp barrier
		if (omp_get_thread_num() == who || (how == ALL && omp_get_thread_num()))
			fault(how);
#pragma omp barrier
	}
	_exit(43);
}

/* The text of a child on stderr, and its end. */
static int
child(enum how how, int who, char *said, size_t size)
{
	int ends[2], status = -1;
	size_t used = 0;
	ssize_t got;

	CHECK(pipe(ends) == 0);
	fflush(stderr);
	pid_t pid = fork();
	if (pid == 0) {
		check_alarm();
		dup2(ends[1], STDERR_FILENO);
		die(how, who);
	}
	close(ends[1]);
	while ((got = read(ends[0], said + used, size - 1 - used)) > 0)
		used += (size_t)got;
	said[used] = 0;
	close(ends[0]);
	CHECK(waitpid(pid, &status, 0) == pid);
	return status;
}

int
main(void)
{
	const char *variable = getenv("FGOMP_STACKSIZE") ? " FGOMP_STACKSIZE" : " OMP_STACKSIZE";
	char said[4096], thread[64];

	for (int how = 0; how < WAYS; how++)
		for (int who = how == INITIAL ? 0 : 1; who < (how == INITIAL ? 1 : 4); who++) {
			int status = child(how, who, said, sizeof said);

			if (how >= HANDLER_BEFORE)
				CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 42, "way %d by %d: %x %s", how, who,
				      status, said);
			else
				CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "way %d by %d: %x", how, who,
				      status);
			if (how > NESTED) {
				CHECK(said[0] == 0, "way %d by %d: %s", how, who, said);
				continue;
			}
			snprintf(thread, sizeof thread, "thread %d of %d:", how == NESTED ? 2 : who,
				 how == NESTED ? 3 : 4);
			CHECK(strstr(said, "libgomp: Stack overflow in thread ") && strstr(said, variable),
			      "way %d: %s", how, said);
			CHECK(how == ALL || strstr(said, thread), "way %d by %d: %s", how, who, said);
			CHECK(said[1] && !strstr(said + 1, "\nlibgomp"), "told twice: %s", said);
		}
	return check_end();
}
