/* CPU share (floor: exec): see cpu_share.h. */
#include "exec/loop/cpu_share.h"

#define LOOK_NS 1000000
#define LEAST_NS 200000	       /* less is the system's own business: interrupts, the monitor */
#define LEAST_PART 8	       /* 1/8 of the time */
#define TURN_NS 20000000       /* more at a time is not the kernel's doing: the program has blocked as well */
#define PERIOD_MIN_NS 10000000 /* often two workers of a new program share one, until the system sets them apart */
#define PERIOD_MAX_NS 1600000000

/* Found shared when the last period has just ended: it was too short. */
static void
found(struct fg_cpu_share *sharing, uint64_t now)
{
	if (now < sharing->until)
		;
	else if (sharing->until && now - sharing->until < sharing->period)
		sharing->period = sharing->period < PERIOD_MAX_NS ? 2 * sharing->period : PERIOD_MAX_NS;
	else
		sharing->period = PERIOD_MIN_NS;
	sharing->until = now + sharing->period;
}

/* A sleep of ours may not have blocked, then one of the program's counts as ours: it is not seen, and TURN_NS says what
 * it is. */
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
