/* Cut (floor: exec): see cut.h.
 *
 * A barrier that is cut remains a phase. Each member arrives once in it: at the barrier, or by fg_cut_pass before it
 * leaves the region. So the crews' counters are right. The last member of a crew need not wait for other crews. So a
 * crew may begin the next phase before another has published this one. But it cannot end that one, too, and begin a
 * third: the next phase is the last of the region, and this one needs all crews. These depend on the order of phases:
 *
 *   - Lines. A worker's line may be two phases ahead of the phase p that a reader waits for. The reader looks at the
 *     line of its parity. It finds p there, or p + 2, and both tell that p is over.
 *   - Summaries. A group may have none of this phase. No wait depends on one (summary.h).
 *   - Loans. Each is of one phase, by number (lend.c). A worker that is ahead asks in vain.
 *   - Transfers. A worker must see the members that come to it before it begins the next phase. So no member parts from
 *     its crew at these barriers, cut or not. It parts at the end of the region (fg_dock_arrive).
 *
 * No wake-up is missed. A member that cuts stores the word, makes the light fence, and looks for sleepers. A sleeper
 * counts itself, makes the heavy fence, and asks again whether the word names its phase (idle.c).
 *
 * Stays. The last member of a crew counts those that stay, and stores their number beside the phase, before it. So a
 * reader that finds all lines at the phase has the sum. The lines keep it until the region has ended, because the end
 * of the region is a phase of the other parity. */
#include "exec/flat/cut.h"

#include "exec/flat/dock_line.h"
#include "exec/flat/help_look.h"
#include "exec/flat/summary.h"

/* Conditions of waits, as in dock_line.h. */
static bool
crossed_or_cut(struct fg_worker *worker)
{
	return (worker->crew.grouped ? fg_summary_crossed(worker) : fg_dock_crossed(worker)) ||
	       fg_load_acquire(worker->flat.cut) == worker->crew.phase;
}

static bool
crossed_or_cut_or_called(struct fg_worker *worker)
{
	return crossed_or_cut(worker) || fg_help_calls(worker);
}

/* Of a crew whose members have all arrived. */
static unsigned
n_stays(const struct fg_identity *self)
{
	unsigned n = 0;
	const struct fg_identity *member = self;
	do
		n += member->in_crew.stays;
	while ((member = member->in_crew.next) != self);
	return n;
}

/* Returns the worker if the caller is the last of its crew: the phase is published. */
static struct fg_worker *
come(struct fg_identity *self, bool stays)
{
	self->in_crew.stays = stays;
	struct fg_worker *worker = fg_dock_arrive(self);
	if (!worker)
		return NULL;
	uint64_t phase = ++worker->crew.phase;
	fg_store_relaxed(&worker->done[phase & 1].stays, n_stays(self));
	fg_store_release(fg_done_line(worker, phase), phase);
	return worker;
}

void
fg_cut_barrier(struct fg_identity *self, const struct fg_atomic_u64 *cut, bool stays)
{
	struct fg_worker *worker = come(self, stays);
	if (!worker)
		return;
	struct fg_crew *crew = &worker->crew;
	fg_dock_wake_slots(crew->team, 0, crew->slots);
	fg_ride_pause(worker, false); /* twice, as in fg_dock_barrier */
	fg_ride_pause(worker, false);
	crew->crossing = true;
	worker->flat.cut = cut;
	if (crew->grouped) {
		fg_summary_begin(worker, crew->phase);
	} else {
		worker->flat.cross_next = 0;
		worker->flat.cross_end = crew->slots;
	}
	if (!fg_wait_briefly(worker, crossed_or_cut))
		fg_help_wait(self, crossed_or_cut, crossed_or_cut_or_called);
	crew->crossing = false;
	fg_dock_go_on(self);
}

uint64_t
fg_cut_next(const struct fg_identity *self)
{
	return self->crew_of->crew.phase + 1;
}

/* No worker sleeps until this line is stored: those that wait at this barrier see the word. */
void
fg_cut_pass(struct fg_identity *self)
{
	if (come(self, false))
		fg_dock_go_on(self);
}

void
fg_cut_wake(struct fg_identity *self)
{
	const struct fg_crew *crew = &self->crew_of->crew;
	fg_dock_wake_slots(crew->team, 0, crew->slots);
}

/* The worker's other line has the end of the region, so this one is as it was. */
unsigned
fg_cut_stayers(const struct fg_identity *self)
{
	const struct fg_crew *crew = &self->crew_of->crew;
	unsigned n = 0;
	for (unsigned i = 0; i < crew->slots; i++) {
		struct fg_done *done = &fg_slot(crew->team, i)->done[crew->phase & 1];
		if (fg_load_acquire(&done->phase) < crew->phase)
			return 0;
		n += fg_load_relaxed(&done->stays);
	}
	assert(n > 0);
	return n;
}
