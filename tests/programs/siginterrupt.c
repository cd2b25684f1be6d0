// siginterrupt tells signal() whether system calls that a handler interrupts end early or go on.
// threads: 1 8
#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <sys/time.h>

#include "check.h"

static void
on_alarm(int number)
{
	(void)number;
}

static int
ends_early(void)
{
	struct itimerval soon = {{0, 20000}, {0, 20000}}, never = {{0, 0}, {0, 0}};
	int ends[2];
	char c;
	CHECK(pipe(ends) == 0);
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &soon, NULL);
	if (fork() == 0) {
		usleep(200000);
		_exit(write(ends[1], "x", 1) != 1);
	}
	int early = read(ends[0], &c, 1) == -1 && errno == EINTR;
	setitimer(ITIMER_REAL, &never, NULL);
	close(ends[0]);
	close(ends[1]);
	return early;
}

int
main(void)
{
#pragma omp parallel
	check_burn(1000);
	CHECK(!ends_early());
	siginterrupt(SIGALRM, 1);
	CHECK(ends_early());
	siginterrupt(SIGALRM, 0);
	CHECK(!ends_early());
	return check_end();
}
