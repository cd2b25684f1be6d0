// In a sandbox that ends the process for a system call which libgomp never makes, or refuses it: the program lives, and its members
// wait for each other as ever.
// finding: 12
// mode: spin
// mode: sem
// mode: read
// under: KILL:perf_event_open
// under: KILL:membarrier
// under: KILL:perf_event_open,membarrier,move_pages,get_mempolicy,set_mempolicy,mbind noproc
// under: EPERM:perf_event_open,timer_create
// under: ENOSYS:rt_tgsigqueueinfo
#include "crowd.h"

int
main(int argc, char **argv)
{
	crowd_regions(argc > 1 ? argv[1] : "spin", 8, 3);
	return check_end();
}
