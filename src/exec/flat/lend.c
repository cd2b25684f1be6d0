/* Crews: members that go to another worker for the rest of a phase (floor: exec; design D4).
 *
 * Who asks. `wanted` of a worker holds (phase << 16 | slot of the idle worker that asks), or anything old. Phases are
 * never used twice, so a request counts only if its phase is the one the owner is in: then the asker is in the same
 * region and phase. It is read by the owner where it switches anyhow; a request that is lost, for another overwrites it
 * or its phase ends, costs speed only. An owner that computes and so does not switch is held (hold.c) after a while:
 * then the asker does itself what the owner would have done.
 *
 * Who is lent. A suspended member that has begun the phase not yet, or that is ready (it lies in an inbox). The owner
 * counts it in `lent`, pins it to the other worker and puts it into that one's inbox, whose lock orders all that went
 * before. From there it may be lent on. Where it arrives it is suspended, and once it is saved adds itself (release) to
 * its own worker's `returned`. The last of the crew that arrives at home waits until all that were lent have returned
 * (acquire): so a phase is published after all of the crew have arrived, as without loans, and all of them lie in the
 * ring again, saved.
 *
 * Who has arrived, at home or from elsewhere, is an idler: its worker can resume it for tasks. While others of the crew
 * have not arrived, it no longer has then, and arrives again. When all have arrived or are lent, one thread waits on
 * the worker, for those lent, then for the other crews: the last to arrive, the primary thread in its join, or the
 * worker's home behind the end of members that are donors. While it waits it leads: idlers that are called still count
 * as arrived, are `out`, and come back. It ends no wait before none is out; so none is when a phase is published, nor
 * when the next one begins and the ring is run. Whoever is called may look at the team and its tasks, for the region
 * does not end meanwhile:
 *
 *     others of the crew have not arrived   nor will all have before the one called has again
 *     at a barrier                          this crew does not pass it before its leader has seen that none is out
 *     behind the members' end               the leader is registered as a helper, for all of its crew, until none is out (help.h)
 *     in the join                           the primary thread itself ends the region: it closes the tasks, then waits until none is out
 *
 * At each of these points every member of the crew is an idler, or runs, is ready, waits for something, or leads. So as
 * long as there are tasks that nobody has begun, and members without anything to do, the worker has whom to call, when
 * it is idle or its thread gives way. One sleeping worker is woken for each new task. It may find that its own wait is
 * over: leaving that it wakes another in its place (fg_help_pass_on). So no task waits for want of a member.
 *
 * Other crews may pass the barrier before a leader, or who is out, looks again, and make tasks of the next phase: none
 * of these may be begun here, for it could wait for a member of this crew. So where all tasks of this phase are done
 * (fg_help_late) nobody is called any more, and who has taken one gives it back. Until then the crew goes on, for what
 * it has begun may wait for what is left.
 *
 * One member at least arrives at home: whose arrival makes arrived + lent == count waits for the others. Its wait is
 * tied to its worker, so of a crew all of whose members have arrived or are lent nobody is lent, whatever lies in the
 * inbox. */
#include "exec/flat/lend.h"

#include "base/carrier.h"
#include "exec/flat/help.h"
#include "exec/loop/loop.h"
#include "exec/pool/workers.h"
#include "exec/relief/hold.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/root.h"

#define ASKS_SEIZE 4 /* looks at a request that has not been answered, some microseconds apart */
#define ASKS_MAX 8   /* then another worker is asked */

static struct fg_worker *
worker_of(const struct fg_crew *crew, unsigned slot)
{
	return slot ? fg_workers_at(slot) : &crew->root->worker;
}

static void
seize(struct fg_worker *worker)
{
	struct fg_identity *thread = fg_spare_hold(worker);
	if (!thread)
		return;
	fg_crew_lend(worker, 1);
	fg_spare_let_go(thread);
}

/* A request that has not been answered stays for a while; then another worker gets it. */
static bool
still_asking(struct fg_crew *crew, uint64_t request)
{
	struct fg_worker *asked = crew->asked;
	if (!asked)
		return false;
	uint64_t seen = request;
	if (fg_load_relaxed(&asked->lend.wanted) == request && fg_crew_may_lend(asked) && ++crew->asks < ASKS_MAX) {
		if (crew->asks == ASKS_SEIZE)
			seize(asked);
		return true;
	}
	fg_cas_relaxed(&asked->lend.wanted, &seen, 0);
	crew->asked = NULL;
	crew->asks = 0;
	return false;
}

static bool
ask(struct fg_crew *crew, struct fg_worker *worker, uint64_t request)
{
	uint64_t seen = fg_load_relaxed(&worker->lend.wanted);
	if (seen >> 16 == request >> 16 || !fg_crew_may_lend(worker) ||
	    !fg_cas_relaxed(&worker->lend.wanted, &seen, request))
		return false;
	crew->asked = worker;
	return true;
}

/* The nearest first: slots that differ in the last bits only are neighbours, as the policy places them. */
void
fg_crew_ask(struct fg_worker *idle)
{
	struct fg_crew *crew = &idle->crew;
	if (!crew->lends || idle->bound.place)
		return;
	uint64_t phase = crew->phase + (crew->arrived < crew->count);
	uint64_t request = phase << 16 | idle->slot;
	if (still_asking(crew, request))
		return;
	unsigned slots = crew->slots;
	for (unsigned i = 1; i < 2 * slots; i++) {
		unsigned slot = idle->slot ^ i;
		if (slot < slots && ask(crew, worker_of(crew, slot), request)) {
			fg_monitor_poke();
			return;
		}
	}
}

/* Whoever has not begun goes first: it has left nothing in this PU's caches. */
FG_READS_HINTS static struct fg_identity *
lendable(struct fg_worker *worker)
{
	struct fg_crew *crew = &worker->crew;
	bool own = crew->arrived + crew->lent + 1 < crew->count;
	if (own && fg_load_relaxed(&crew->waiting) != 0 && crew->next->kind == FG_DONOR)
		return fg_crew_take(crew);
	return fg_worker_inbox_lend(worker, own);
}

FG_READS_HINTS void
fg_crew_lend(struct fg_worker *worker, unsigned staying)
{
	struct fg_crew *crew = &worker->crew;
	uint64_t request = fg_load_relaxed(&worker->lend.wanted);
	unsigned here = fg_load_relaxed(&crew->waiting) + fg_load_relaxed(&worker->pinned.count) + staying;
	if (request >> 16 != crew->phase + 1 || worker->bound.place || here < 2)
		return;
	struct fg_identity *member = lendable(worker);
	if (!member)
		return;
	assert(member->kind == FG_DONOR && member->crew_of);
	if (!member->ring.lent)
		member->crew_of->crew.lent++;
	member->ring.lent = true;
	member->pinned = worker_of(crew, request & 0xffff);
	fg_cas_relaxed(&worker->lend.wanted, &request, 0);
	worker->statistics.loans++;
	fg_worker_trace(FG_EVENT_lend, member, fg_worker_leaf(member->pinned)->first_pu, 0);
	fg_worker_ready(member);
}

static void
returned_callback(void *arg)
{
	struct fg_identity *member = arg;
	struct fg_worker *owner = member->crew_of;
	void *first = fg_load_relaxed(&owner->lend.returned_first);
	do
		member->next = first;
	while (!fg_cas_release(&owner->lend.returned_first, &first, member));
	fg_add_acq_rel(&owner->lend.returned, 1);
	fg_idle_wake(owner);
}

void
fg_crew_return(struct fg_identity *self)
{
	assert(self->ring.lent);
	fg_worker_prepare_to_leave(self);
	self->ring.lent = false;
	self->pinned = self->crew_of;
	fg_worker_leave(self, returned_callback, self);
}

static bool
all_back(struct fg_worker *worker)
{
	return fg_load_acquire(&worker->lend.returned) == worker->crew.lent;
}

static bool
all_back_or_called(struct fg_worker *worker)
{
	return all_back(worker) || fg_help_calls(worker);
}

void
fg_crew_collect(struct fg_identity *self)
{
	struct fg_worker *worker = self->worker;
	fg_help_wait(self, all_back, all_back_or_called);
	struct fg_identity *first = fg_load_relaxed(&worker->lend.returned_first);
	fg_store_relaxed(&worker->lend.returned_first, NULL);
	fg_crew_returned(worker, first);
}
