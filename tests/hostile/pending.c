// The user's limit of pending signals is used up, by this program or another: no process dies, and members that wait
// are relieved.
// finding: 24
// mode: cond
// mode: spin
// mode: read
// env: -
// env: FGOMP_SIGNAL=SIGUSR1
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "crowd.h"

int
main(int argc, char **argv)
{
	struct rlimit none = {0, 0};
	sigset_t set;

	CHECK(setrlimit(RLIMIT_SIGPENDING, &none) == 0);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 5);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	CHECK(sigqueue(getpid(), SIGRTMIN + 5, (union sigval){0}) == -1 && errno == EAGAIN);
	crowd_regions(argc > 1 ? argv[1] : "cond", 8, 3);
	return check_end();
}
