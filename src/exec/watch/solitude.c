/* Solitude (floor: exec): see solitude.h. */
#include "exec/watch/solitude.h"

#include "base/carrier.h"
#include "exec/body/seat.h"
#include "exec/ground/options.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "machine/load.h"

#define OTHERS_NS 1000000000 /* between two looks at the load: the kernel counts in ticks of 10 ms */
#define ROOTS_NS 50000000    /* between two looks at roots: one that was outside at two of them gets up */
#define QUIET 0.25	     /* PUs that others use: so little is left to daemons of the system */
#define LOUD 0.5
#define LOOKS_MIN 2 /* so many quiet looks, and twice as many after each time that was short */
#define LOOKS_MAX 64
#define LONG_LOOKS 60 /* after so many looks the process is alone for good, as it seems */

static struct {
	struct fg_load last;
	uint64_t looked, roots;	       /* when */
	unsigned quiet, needed, since; /* looks: quiet ones, those that are needed, those since it became alone */
} solitude = {.needed = LOOKS_MIN};

static void
set_alone(bool alone)
{
	fg_store_relaxed(&fg_seats.alone, alone);
	fg_add_relaxed(&fg_all_workers.returns, 1); /* workers that wait sit down anew */
}

static void
become(bool quiet, bool loud)
{
	bool alone = fg_load_relaxed(&fg_seats.alone);
	solitude.quiet = quiet ? solitude.quiet + 1 : 0;
	solitude.since = alone ? solitude.since + 1 : 0;
	if (alone && loud) {
		if (solitude.since > LONG_LOOKS)
			solitude.needed = LOOKS_MIN;
		else if (solitude.needed < LOOKS_MAX)
			solitude.needed *= 2;
		set_alone(false);
	} else if (!alone && solitude.quiet >= solitude.needed) {
		set_alone(true);
	}
}

static void
look_for_others(uint64_t now)
{
	double others;
	if (now - solitude.looked < OTHERS_NS)
		return;
	solitude.looked = now;
	if (fg_load_since(&solitude.last, &fg_exec_options.cpus, &others))
		become(others<QUIET, others> LOUD);
}

/* Each look tries again: a worker may have been about to sit down at the last. */
FG_READS_HINTS static void
loosen_all(void)
{
	FG_EACH_WORKER (worker)
		if (fg_load_relaxed(&fg_parts(worker)->bound.level) && fg_seat_is_narrow(worker))
			fg_seat_loosen(worker);
}

/* The root was outside at the last look, and has met no region since. */
FG_READS_HINTS static bool
has_left(struct fg_worker *root)
{
	uint64_t seen = fg_parts(root)->watch.region_seen, region = root->carries ? 0 : root->crew.region;
	fg_parts(root)->watch.region_seen = region;
	return region && region == seen;
}

FG_READS_HINTS static bool
is_seated_root(const struct fg_worker *worker)
{
	const struct fg_bound *bound = &fg_parts(worker)->bound;
	return worker->home->root && fg_load_relaxed(&bound->level) && !fg_load_relaxed(&bound->loosened);
}

static void
look_at_roots(uint64_t now)
{
	if (now - solitude.roots < ROOTS_NS)
		return;
	solitude.roots = now;
	FG_EACH_WORKER (worker)
		if (is_seated_root(worker) && has_left(worker))
			fg_seat_loosen(worker);
}

void
fg_solitude_look(void)
{
	if (!fg_seat_on)
		return;
	uint64_t now = fg_carrier->now(); /* not before: a simulated clock has a price */
	look_at_roots(now);
	if (fg_seats.placed)
		return;
	look_for_others(now);
	if (!fg_load_relaxed(&fg_seats.alone))
		loosen_all();
}

FG_READS_HINTS uint64_t
fg_solitude_nap(void)
{
	bool awake = false;
	if (!fg_seat_on)
		return 0;
	FG_EACH_WORKER (worker) {
		if (is_seated_root(worker))
			return ROOTS_NS;
		awake |= worker->carries && !fg_load_relaxed(&worker->asleep);
	}
	return awake && !fg_seats.placed ? OTHERS_NS : 0;
}

FG_READS_HINTS void
fg_solitude_end(void)
{
	FG_EACH_WORKER (worker)
		if (is_seated_root(worker))
			fg_seat_loosen(worker);
}

/* The clock of the process begins anew in the child. */
void
fg_solitude_after_fork(void)
{
	solitude.last = (struct fg_load){0};
	solitude.looked = solitude.roots = 0;
	solitude.quiet = solitude.since = 0;
	solitude.needed = LOOKS_MIN;
	fg_store_relaxed(&fg_seats.alone, 0);
	fg_store_relaxed(&fg_seats.loosening, NULL);
}
