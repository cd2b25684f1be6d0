// An error ends the program while members hold locks that a function of atexit wants: the holders go on, and the
// program ends.
// finding: 23
// mode: mutex
// mode: stdout
#include <signal.h>
#include <sys/wait.h>

#include "crowd.h"

#define MEMBERS 8
#define HOLDERS 6

static const char *mode;
static pthread_mutex_t mutex[HOLDERS];
static atomic_int holding;

static void
at_exit(void)
{
	for (int i = 0; i < HOLDERS; i++)
		pthread_mutex_lock(&mutex[i]);
	if (!strcmp(mode, "stdout"))
		puts("bye");
}

static void
hold(int me)
{
	int prints = me == 0 && !strcmp(mode, "stdout");

	pthread_mutex_lock(&mutex[me]);
	if (prints)
		flockfile(stdout);
	holding++;
	while (holding < HOLDERS)
		;
	for (volatile int i = 0; i < 40000000; i++) /* many slices */
		;
	if (prints)
		funlockfile(stdout);
	pthread_mutex_unlock(&mutex[me]);
}

/* libgomp, too, takes it for an error that an event is fulfilled twice. */
static void
fail(void)
{
	omp_event_handle_t event;

	while (holding < HOLDERS)
		;
#pragma omp task detach(event) if (0)
	{
		omp_fulfill_event(event);
		omp_fulfill_event(event);
	}
}

static void
child(void)
{
	for (int i = 0; i < HOLDERS; i++)
		pthread_mutex_init(&mutex[i], NULL);
	atexit(at_exit);
	freopen("/dev/null", "w", stderr);
#pragma omp parallel num_threads(MEMBERS)
	{
		int me = omp_get_thread_num();

		if (me < HOLDERS)
			hold(me);
		else if (me == HOLDERS)
			fail();
		for (;;)
			pause();
	}
}

int
main(int argc, char **argv)
{
	mode = argc > 1 ? argv[1] : "mutex";
	pid_t pid = fork();
	if (pid == 0) {
		child();
		_exit(0);
	}
	int status = 0;
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 1, "status %x", status);
	return check_end();
}
