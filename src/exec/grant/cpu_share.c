/* CPU share (floor: exec): see cpu_share.h. */
#include "exec/grant/cpu_share.h"

#include <assert.h>

#define LOOK_NS 1000000
#define LEAST_NS 200000	       /* less is lost to the system itself: to interrupts and the monitor */
#define LEAST_PART 8	       /* 1/8 of the time */
#define TURN_NS 20000000       /* the kernel takes no more at a time: the program has blocked as well */
#define PERIOD_MIN_NS 10000000 /* often two workers of a new program share a PU, until the system sets them apart */
#define PERIOD_MAX_NS 1600000000

/* The PU was found shared. If the last period has just ended, it was too short. */
static void
found(struct fg_cpu_share *sharing, uint64_t now)
{
	sharing->strayed = now >= sharing->until;
	if (now < sharing->until)
		;
	else if (sharing->until && now - sharing->until < sharing->period)
		sharing->period = 2 * sharing->period < PERIOD_MAX_NS ? 2 * sharing->period : PERIOD_MAX_NS;
	else
		sharing->period = PERIOD_MIN_NS;
	sharing->until = now + sharing->period;
	assert(sharing->period >= PERIOD_MIN_NS && sharing->period <= PERIOD_MAX_NS);
}

/* The kernel has taken the time if it is at most TURN_NS for each forced switch, or if the program has not blocked. A
 * sleep of the runtime may not have blocked. Then one block of the program is taken for this sleep, and is not seen. */
static bool
has_lost(const struct fg_cpu_share *sharing, const struct fg_ran *ran, uint64_t now)
{
	uint64_t passed = now - sharing->now, known = ran->ns - sharing->ran.ns + sharing->slept;
	uint64_t lost = passed > known ? passed - known : 0, forced = ran->forced - sharing->ran.forced;
	if (lost <= LEAST_NS || lost <= passed / LEAST_PART)
		return false;
	return lost <= forced * TURN_NS || (forced && ran->blocked - sharing->ran.blocked <= sharing->sleeps);
}

bool
fg_cpu_share_look(struct fg_cpu_share *sharing, int tid, uint64_t now)
{
	if (now - sharing->now < LOOK_NS && tid == sharing->tid)
		return now < sharing->until;
	struct fg_ran ran;
	fg_carrier->ran(&ran);
	if (sharing->now && tid == sharing->tid && has_lost(sharing, &ran, now))
		found(sharing, now);
	sharing->now = now;
	sharing->ran = ran;
	sharing->slept = sharing->sleeps = 0;
	sharing->tid = tid;
	return now < sharing->until;
}
