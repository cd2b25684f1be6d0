// siginterrupt tells signal() whether system calls that a handler interrupts end early or go on.
// threads: 1 8
#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <sys/time.h>

#include "check.h"

static int ends[2], alarms, gives;

static void
on_alarm(int number)
{
	(void)number;
	if (++alarms == gives)
		CHECK(write(ends[1], "x", 1) == 1);
}

/* A read that alarms interrupt. The byte comes with the fifth of them, or never (0). */
static int
ends_early(int fifth)
{
	struct itimerval soon = {{0, 20000}, {0, 20000}}, never = {{0, 0}, {0, 0}};
	char c;
	CHECK(pipe(ends) == 0);
	alarms = 0;
	gives = fifth;
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &soon, NULL);
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
	CHECK(!ends_early(5));
	siginterrupt(SIGALRM, 1);
	CHECK(ends_early(0));
	siginterrupt(SIGALRM, 0);
	CHECK(!ends_early(5));
	return check_end();
}
