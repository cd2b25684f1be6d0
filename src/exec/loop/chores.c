/* Chores (floor: exec): see chores.h. */
#include "exec/loop/chores.h"

#include "base/carrier.h"
#include "exec/body/look.h"
#include "exec/body/kernel_thread.h"
#include "exec/donor/donor_pool.h"
#include "exec/grant/cpu_share.h"
#include "exec/grant/grant.h"
#include "exec/grant/ride.h"
#include "exec/ground/options.h"
#include "exec/loop/idle.h"
#include "exec/loop/idling.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "sched/policy.h"
#include "share/own_set.h"
#include "share/share.h"

#define SUSPECT_NS 20000000 /* at least so long between two questions to the system */
#define OFTEN_NS 10000000
#define GLANCE_TURNS 256      /* a wait that is over sooner asks for nothing */
#define GLANCE_NS 50000	      /* at least so long between two glances at the process's mask */
#define SHARED_SPIN_NS 10000  /* less than a sleep and a wake-up cost: even a worker that shares its PU spins so long */
#define WOKEN_SPIN_NS 100000  /* more than a wake-up takes */
#define PART_NS 250000	      /* at least so long between two moves away from another worker's PU */
#define SEATED_SPIN_NS 100000 /* no other worker of the pool has this PU: the wait is for another PU */
#define SHARED_LONG_NS 80000000 /* the PU was found shared for the fourth time in a row */
#define NODE_NS 10000000	/* between two looks at the NUMA node */
#define SOLITUDE_NS 1000000000	/* between two calls of the monitor to see whether the process is alone */

/* A worker that is about to sleep has no patience: NULL. True: the chore was done, and its period begins. */
typedef bool chore(struct fg_worker *worker, struct fg_patience *patience, uint64_t now);

/* The worker may have been given another leaf. */
static bool
seat(struct fg_worker *worker, struct fg_patience *patience, uint64_t now)
{
	fg_seat_look(worker);
	return true;
}

static bool
binding(struct fg_worker *worker, struct fg_patience *patience, uint64_t now)
{
	fg_binding_keep(worker);
	return true;
}

/* A rider's patience begins anew while others of its ride go on. */
static bool
ride(struct fg_worker *worker, struct fg_patience *patience, uint64_t now)
{
	if (__builtin_expect(!fg_worker_rides(worker), 1) ||
	    patience->waits == fg_parts(fg_worker_head(worker))->ride.waits)
		return false;
	patience->waits = fg_parts(fg_worker_head(worker))->ride.waits;
	patience->until = 0;
	return true;
}

/* Kernel threads that were started just now need a PU to begin. */
static bool
oversubscription(struct fg_worker *worker, struct fg_patience *patience, uint64_t now)
{
	if (now >= fg_load_relaxed(&fg_binding.crowded_until))
		return false;
	fg_carrier->yield();
	return true;
}

static bool
begin(struct fg_worker *worker, struct fg_patience *patience, uint64_t now)
{
	if (patience->until)
		return false;
	patience->until = now + fg_exec_options.spin_ns;
	fg_parts(worker)->sharing.waits++;
	patience->has_woken = fg_load_relaxed(&fg_parts(worker)->has_woken);
	fg_store_relaxed(&fg_parts(worker)->has_woken, 0);
	if (__builtin_expect(fg_policies.wants & FG_WANTS_IDLES, 0) && !patience->again)
		fg_idling_begin(&fg_parts(worker)->idling, fg_worker_leaf(worker), now);
	return true;
}

static bool
idling(struct fg_worker *worker, struct fg_patience *patience, uint64_t now)
{
	if (__builtin_expect(fg_policies.wants & FG_WANTS_IDLES, 0))
		fg_idling_look(&fg_parts(worker)->idling, fg_worker_leaf(worker), now);
	return true;
}

static enum fg_seat_shared
shared_for(const struct fg_worker *worker, bool shared)
{
	if (!shared)
		return FG_SEAT_OWN;
	return fg_parts(worker)->sharing.period >= SHARED_LONG_NS ? FG_SEAT_SHARED_LONG : FG_SEAT_SHARED;
}

/* A root's worker tells where it is, as often as it looks whether it shares its PU. */
static bool
sharing(struct fg_worker *worker, struct fg_patience *patience, uint64_t now)
{
	uint64_t looked = fg_parts(worker)->sharing.now;
	bool shared = fg_cpu_share_look(&fg_parts(worker)->sharing, worker->tid, now);
	if (fg_seat_on)
		fg_seat_share(worker, shared_for(worker, shared));
	if (!worker->slot && looked != fg_parts(worker)->sharing.now)
		fg_binding_tell(worker);
	return true;
}

static bool
shares(const struct fg_worker *worker, uint64_t now)
{
	return now < fg_parts(worker)->sharing.until;
}

/* The worker that it waits for needs this PU. */
static bool
crowd(struct fg_worker *worker, struct fg_patience *patience, uint64_t now)
{
	if (__builtin_expect(!fg_load_relaxed(&fg_rides.crowded), 1))
		return false;
	patience->until = now;
	return true;
}

/* A worker that shares its PU spins less. One that has just woken another worker waits longer for it. If both slept and
 * woke each other in turns, the kernel would take them for one half-idle thread each, and leave both on one PU. */
static bool
haste(struct fg_worker *worker, struct fg_patience *patience, uint64_t now)
{
	if (!shares(worker, now))
		return false;
	uint64_t spin = fg_seat_on && fg_seat_is_narrow(worker) ? SEATED_SPIN_NS
			: patience->has_woken			? WOKEN_SPIN_NS
								: SHARED_SPIN_NS;
	if (patience->until > now + spin)
		patience->until = now + spin;
	return true;
}

/* The other one did not come in that time. So they may be on one PU already, and this worker goes away. */
static bool
stray(struct fg_worker *worker, struct fg_patience *patience, uint64_t now)
{
	if (!shares(worker, now) || !patience->has_woken || now < patience->until ||
	    (fg_seat_on && fg_seat_is_narrow(worker)))
		return false;
	fg_parts(worker)->sharing.strayed = true;
	return true;
}

/* The worker has begun a wait at least each OFTEN_NS since this was last asked. The kernel takes a PU away for some
 * milliseconds at a time. So a program that waits more seldom loses less by that than by having fewer PUs. */
static bool
waits_often(struct fg_worker *worker, uint64_t now)
{
	struct fg_cpu_share *sharing = &fg_parts(worker)->sharing;
	bool often = sharing->counted && sharing->waits * OFTEN_NS >= now - sharing->counted;
	sharing->counted = now;
	sharing->waits = 0;
	return often;
}

/* The worker shares its PU, or has slept. Perhaps PUs were taken from the process. */
static bool
suspicion(struct fg_worker *worker, struct fg_patience *patience, uint64_t now)
{
	if (patience && !shares(worker, now))
		return false;
	fg_grant_suspect(worker, waits_often(worker, now) && shares(worker, now));
	return true;
}

/* Other programs of the user are active, or may be. The monitor reads their entries, and stamps its own. */
static bool
company(struct fg_worker *worker, struct fg_patience *patience, uint64_t now)
{
	if ((patience && patience->turns <= GLANCE_TURNS) || !fg_share_calls() || !worker->carries)
		return false;
	fg_grant_call(worker);
	return true;
}

/* Where the mask has changed, the worker sleeps. Workers that must board another kernel thread need a PU for that, and
 * a yield is not enough: the kernel may give the PU back to the caller at once. */
static bool
glance(struct fg_worker *worker, struct fg_patience *patience, uint64_t now)
{
	if (patience && patience->turns <= GLANCE_TURNS)
		return false;
	if (fg_grant_glance(worker) && patience)
		patience->until = now;
	return true;
}

static bool
parting(struct fg_worker *worker, struct fg_patience *patience, uint64_t now)
{
	if (__builtin_expect(!fg_parts(worker)->sharing.strayed, 1))
		return false;
	fg_parts(worker)->sharing.strayed = false;
	fg_binding_part(worker);
	return true;
}

/* The kernel moves threads mostly as it wakes them. */
static bool
node(struct fg_worker *worker, struct fg_patience *patience, uint64_t now)
{
	if (fg_seats.nodes && !fg_seat_on)
		fg_binding_return(worker);
	else if (fg_seat_on)
		fg_binding_join_set(worker);
	return true;
}

/* A process that has never needed the monitor gets it a second after its first wait. */
static bool
solitude(struct fg_worker *worker, struct fg_patience *patience, uint64_t now)
{
	if (fg_seat_on && !fg_seats.placed && fg_parts(worker)->sharing.solitude)
		fg_grant_call(worker);
	return true;
}

static bool
donors(struct fg_worker *worker, struct fg_patience *patience, uint64_t now)
{
	fg_donor_pool_rest(worker);
	return true;
}

enum { SPIN = 1, SLEEP = 2, WOKE = 4 };

#define LAST(field) offsetof(struct fg_cpu_share, field)

/* In the order in which they are done: `begin` sets the patience that `haste` shortens, and `stray` sets what `parting`
 * reads. A chore with a period is not done again before that is over. `last` is the field
 * of the worker's `sharing` that says when it was done. */
static const struct {
	chore *run;
	unsigned when;
	uint64_t period_ns;
	size_t last;
} table[] = {
	{seat, SPIN | SLEEP, 0, 0},
	{binding, SPIN | SLEEP, 0, 0},
	{ride, SPIN, 0, 0},
	{oversubscription, SPIN, 0, 0},
	{begin, SPIN, 0, 0},
	{idling, SPIN, 0, 0},
	{sharing, SPIN, 0, 0},
	{crowd, SPIN, 0, 0},
	{haste, SPIN, 0, 0},
	{stray, SPIN, PART_NS, LAST(parted)},
	{suspicion, SPIN | WOKE, SUSPECT_NS, LAST(suspected)},
	{company, SPIN | WOKE, 0, 0},
	{glance, SPIN | SLEEP, GLANCE_NS, LAST(glanced)},
	{parting, SPIN, 0, 0},
	{node, SPIN | WOKE, NODE_NS, LAST(at_node)},
	{solitude, SPIN, SOLITUDE_NS, LAST(solitude)},
	{donors, SLEEP, 0, 0},
};

static inline void
chores_do(unsigned when, struct fg_worker *worker, struct fg_patience *patience, uint64_t now)
{
	assert(fg_lock_order_none("does chores with"));
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		uint64_t *last = (uint64_t *)((char *)&fg_parts(worker)->sharing + table[i].last);
		if (!(table[i].when & when) || (table[i].period_ns && now - *last < table[i].period_ns))
			continue;
		if (table[i].run(worker, patience, now) && table[i].period_ns)
			*last = now;
	}
	assert(fg_lock_order_none("has done chores with"));
}

void
fg_chores_spin(struct fg_worker *worker, struct fg_patience *patience, uint64_t now)
{
	chores_do(SPIN, worker, patience, now);
}

void
fg_chores_sleep(struct fg_worker *worker)
{
	chores_do(SLEEP, worker, NULL, fg_carrier->now());
}

void
fg_chores_woke(struct fg_worker *worker, uint64_t slept_at, uint64_t now)
{
	fg_cpu_share_slept(&fg_parts(worker)->sharing, now - slept_at);
	chores_do(WOKE, worker, NULL, now);
}

uint64_t
fg_chores_left(struct fg_worker *worker, uint64_t now)
{
	return fg_policies.wants & FG_WANTS_IDLES ? fg_idling_left(&fg_parts(worker)->idling, now) : 0;
}
