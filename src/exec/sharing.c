/* Sharing (floor: exec): see sharing.h. */
#include "exec/sharing.h"

#include "base/carrier.h"

#define LOOK_NS 1000000
#define LEAST_NS 200000 /* less is the system's own business: interrupts, the monitor */
#define LEAST_PART 8	/* 1/8 of the time */
#define PERIOD_MIN_NS 100000000
#define PERIOD_MAX_NS 1600000000

/* Found shared when the last period has just ended: it was too short. */
static void
found(struct fg_sharing *sharing, uint64_t now)
{
	if (now < sharing->until)
		;
	else if (sharing->until && now - sharing->until < sharing->period)
		sharing->period = sharing->period < PERIOD_MAX_NS ? 2 * sharing->period : PERIOD_MAX_NS;
	else
		sharing->period = PERIOD_MIN_NS;
	sharing->until = now + sharing->period;
}

bool
fg_sharing_look(struct fg_sharing *sharing, int tid, uint64_t now)
{
	if (now - sharing->now < LOOK_NS && tid == sharing->tid)
		return now < sharing->until;
	uint64_t ran = fg_carrier->ran();
	if (sharing->now && tid == sharing->tid) {
		uint64_t passed = now - sharing->now, known = ran - sharing->ran + sharing->slept;
		uint64_t lost = passed > known ? passed - known : 0;
		if (lost > LEAST_NS && lost > passed / LEAST_PART)
			found(sharing, now);
	}
	sharing->now = now;
	sharing->ran = ran;
	sharing->slept = 0;
	sharing->tid = tid;
	return now < sharing->until;
}
