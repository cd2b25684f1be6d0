// A library in the program has a handler of SIGURG for a while, and puts back the old one: from then on its own is not
// called any more.
// finding: 17
// mode: once
// mode: often
#include <signal.h>

#include "crowd.h"

static atomic_int here, mine;

static void
on_mine(int signal)
{
	mine += signal == SIGURG;
}

static void
on_here(int signal)
{
	here += signal == SIGURG;
}

static void
put(void (*handler)(int), struct sigaction *found)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

	CHECK(sigaction(SIGURG, &action, found) == 0);
}

int
main(int argc, char **argv)
{
	int times = argc > 1 && !strcmp(argv[1], "often") ? 10 : 1;
	struct sigaction found, late;

	crowd_regions("spin", 8, 1);
	put(on_mine, &found);
	crowd_regions("spin", 8, 1);
	raise(SIGURG);
	CHECK(mine == 1, "%d", mine);
	for (int i = 0; i < times; i++) {
		put(on_here, &late);
		crowd_regions("spin", 8, 1);
		raise(SIGURG);
		CHECK(here == i + 1 && mine == 1 + i, "%d calls of its own, %d of the other's", here, mine);
		CHECK(sigaction(SIGURG, &late, NULL) == 0);
		crowd_regions("cond", 8, 1);
		raise(SIGURG);
		CHECK(here == i + 1 && mine == 2 + i, "%d calls of its own, %d of the other's", here, mine);
	}
	CHECK(sigaction(SIGURG, &found, NULL) == 0);
	mine = here = 0;
	crowd_regions("spin", 8, 1);
	raise(SIGURG);
	usleep(1000);
	CHECK(mine == 0 && here == 0, "%d and %d calls of handlers that are not there any more", mine, here);
	return check_end();
}
