/* Grant: the PUs that the process may use now, and which workers must share a kernel thread for want of PUs (floor:
 * exec; called by chores.c, monitor.c, shutdown.c and process_fork.c, and by ride.c through the table of hooks).
 *
 *     granted = PUs in the process's mask and online, but no more than the CPU quota of its control groups, and no
 *               more than the share of the process among the user's programs (share/share.h)
 *
 * A user narrows the mask by taskset -ap or a cpuset, and the quota by cpu.max or by a resize of a container.
 *
 * The thread that looks writes `watch.ride` of all workers, and gives orders: ride.wanted, `news` and notice. It
 * may be the monitor or a worker, one at a time. A worker itself carries its order out (grant/ride.c).
 *
 * No caller holds a lock, and only fg_grant_glance may come from the preemption handler. The monitor has no identity;
 * the others are inside, but for a shutdown that has none. */
#pragma once
#include "exec/thread/identity.h"

/* A look of the monitor. True: workers ride in a region that is in flight, so the monitor must go on looking. */
bool fg_grant_look(uint64_t now);
/* The worker waits, or rides. If the process's mask has changed, or another program has become active, the caller looks
 * at once. True: the mask has changed, or workers must board, so it must let others have its PU now. The caller is
 * inside the runtime, perhaps in the preemption handler at a turn of a ride, and holds no lock. A call takes some 0.3
 * us. */
bool fg_grant_glance(struct fg_worker *worker);
/* The worker shares its PU, or has slept. If the process has fewer PUs than before, the monitor must run. It must also
 * run if the quota may have changed, because only the monitor reads that. outside: the worker waits often, and shares
 * its PU, so load from outside counts (share/outside.h). The caller is inside the runtime, and outside for a moment. */
void fg_grant_suspect(struct fg_worker *worker, bool outside);
/* The process waits for something outside of it, for long; then the wait is over. If no region is in flight, other
 * programs have its PUs in between. The caller is outside the runtime, and holds no lock. Where another thread looks
 * just now, nothing is said, and others find out within 20 ms. */
void fg_grant_wait_begins(void);
void fg_grant_wait_ends(void);
/* The monitor must run. Its caller is as that of fg_grant_suspect. */
void fg_grant_call(const struct fg_worker *worker);
/* No region is in flight, and the monitor still runs. Returns when all workers have kernel threads of their own. From
 * now on none rides, until fg_grant_allow. Other programs have its PUs, and make has its tokens. False: the system
 * gives no threads, so some go on riding. */
bool fg_grant_end(void);
void fg_grant_allow(void);
/* In the child of a fork. */
void fg_grant_after_fork(void);
