/* Crews: members that go to another worker for the rest of a phase (floor: exec).
 *
 * Current phase. crew->phase is the last phase that the whole crew has completed. The last member to arrive raises it.
 * So the current phase is crew->phase + 1 until then, and crew->phase while the crew waits for the others.
 *
 * Requests. `wanted` of a worker holds (phase << 16 | slot of the idle worker that asks), or an old value. No phase is
 * used twice. So a request counts only if its phase is the current one of the owner: then the asker is in the same
 * region and phase. The owner reads the request where it switches anyhow. A request is lost if another overwrites it,
 * or if its phase ends: this costs only speed. An owner that computes does not switch. After a while the asker holds
 * its thread (hold.c), and answers the request itself.
 *
 * Loans. The owner lends a suspended member that has not begun the phase, or one that is ready and lies in an inbox. It
 * counts the member in `lent`, pins it to the other worker, and puts it into that worker's inbox. The lock of the inbox
 * orders all that went before. The other worker may lend the member on. Where the member arrives, it is suspended. Once
 * it is saved, it adds itself (release) to `returned` of its own worker. The worker of its crew is its own worker.
 * The last of the crew to arrive there waits until all lent members have returned (acquire). So, as without loans, a
 * phase is published after all of the crew have arrived. All of them lie in the list again, and are saved.
 *
 * Idlers. A member that has arrived, there or elsewhere, is an idler: its worker can resume it for tasks. This is a
 * call. There are two cases:
 *
 * - Others of the crew have not arrived. Then the called member no longer counts as arrived, and it arrives again.
 *
 * - All have arrived or are lent: arrived + lent == count. Then one thread waits on the worker, first for the lent
 *   members, then for the other crews. It may be the last member to arrive, or the primary thread in its join. It is
 *   the worker's home where the members have ended and are donors. While it waits, it leads. Called idlers still count
 *   as arrived. They are `out`, and come back. The leader ends no wait before out == 0. So out == 0 when a phase is
 *   published, and when the next phase begins and the crew is run.
 *
 * A called member may look at the team and its tasks, because the region does not end meanwhile:
 *
 *     others of the crew have not arrived   they cannot all arrive before the called member has arrived again
 *     at a barrier                          this crew does not pass it before its leader has seen out == 0
 *     after the members' end                the leader is registered as a helper of the region until out == 0 (help.h)
 *     in the join                           the primary thread ends the region: it closes the tasks, waits for out == 0
 *
 * No task waits for want of a member. In each of these four cases, each member of the crew is an idler, or runs, is
 * ready, waits for something, or leads. So if a task is not begun and a member has nothing to do, the worker has a
 * member to call. It calls when it is idle, or when its thread yields the PU. Each new task wakes one sleeping worker.
 * This worker may find that its own wait is over. Then it wakes another worker in its place as it leaves the wait
 * (fg_help_pass_on).
 *
 * Late tasks. Other crews may pass the barrier before a leader or an `out` member looks again, and they may make tasks
 * of the next phase. This crew must not begin such a task, because the task could wait for a member of this crew. So
 * once all tasks of this phase are done (fg_help_late), no member is called any more. A member that has taken a late
 * task gives it back. Until then the crew goes on, because a task that it has begun may wait for one that is left.
 *
 * At least one member arrives on its own worker. The member whose arrival makes arrived + lent == count waits for the
 * others, and its wait is tied to its worker. So once all members of a crew have arrived or are lent, the worker lends
 * none of them, whatever lies in its inbox. */
#include "exec/flat/lend.h"

#include "exec/flat/help_look.h"
#include "exec/loop/crew.h"
#include "exec/loop/inbox.h"
#include "exec/loop/loop.h"
#include "exec/loop/ready.h"
#include "exec/relief/hold.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/worker_parts.h"

#define ASKS_SEIZE 4 /* looks at a request without an answer, some microseconds apart */
#define ASKS_MAX 8   /* then another worker is asked */

/* The asker answers its own request in the place of an owner that computes. */
static void
seize(struct fg_worker *worker)
{
	struct fg_identity *thread = fg_hold_begin(worker);
	if (!thread)
		return;
	fg_lend_answer(worker, 1);
	fg_hold_end(thread);
}

/* A request without an answer stays for a while. Then another worker gets it. */
static bool
still_asking(struct fg_lending *own, uint64_t request)
{
	struct fg_worker *asked = own->asked;
	if (!asked)
		return false;
	uint64_t seen = request;
	if (fg_load_relaxed(&fg_parts(asked)->lend.wanted) == request && fg_crew_may_lend(asked) &&
	    ++own->asks < ASKS_MAX) {
		if (own->asks == ASKS_SEIZE)
			seize(asked);
		return true;
	}
	fg_cas_relaxed(&fg_parts(asked)->lend.wanted, &seen, 0);
	own->asked = NULL;
	own->asks = 0;
	return false;
}

/* The region may be over, and then another root may have the worker, or no worker has the slot. The request has no
 * effect there: the phases of a worker go on from dock to dock, so its current phase is a later one. */
static bool
ask(struct fg_lending *own, struct fg_worker *worker, uint64_t request)
{
	if (!worker)
		return false;
	uint64_t seen = fg_load_relaxed(&fg_parts(worker)->lend.wanted);
	if (seen >> 16 == request >> 16 || !fg_crew_may_lend(worker) ||
	    !fg_cas_relaxed(&fg_parts(worker)->lend.wanted, &seen, request))
		return false;
	own->asked = worker;
	return true;
}

/* The nearest worker comes first. Slots that differ in the last bits only are neighbours, as the policy places them.
 * The monitor is poked for two reasons. It turns on the ticks that make an owner switch. And it wakes sleeping workers
 * that could ask for members that become ready later (wake_borrowers). */
void
fg_lend_ask(struct fg_worker *idle)
{
	struct fg_crew *crew = &idle->crew;
	struct fg_lending *own = &fg_parts(idle)->lend;
	assert(fg_worker_is_own(idle) && fg_lock_order_none("asks for a member with"));
	if (!own->lends || idle->place)
		return;
	uint64_t phase = crew->phase + (crew->arrived < crew->count);
	uint64_t request = phase << 16 | idle->slot;
	if (still_asking(own, request))
		return;
	unsigned slots = crew->slots;
	for (unsigned i = 1; i < 2 * slots; i++) {
		unsigned slot = idle->slot ^ i;
		if (slot < slots && ask(own, fg_slot(crew->team, slot), request)) {
			fg_monitor_poke();
			return;
		}
	}
}

/* A member that has not begun goes first: it has left nothing in this PU's caches. `own`: members of this crew may be
 * lent, because one of them will still arrive on its own worker. Otherwise only members of other crews may be. */
FG_READS_HINTS static struct fg_identity *
lendable(struct fg_worker *worker)
{
	struct fg_crew *crew = &worker->crew;
	bool own = crew->arrived + crew->lent + 1 < crew->count;
	if (own && fg_load_relaxed(&crew->waiting) != 0 && crew->next->kind == FG_DONOR)
		return fg_crew_take(crew);
	return fg_inbox_lend(&worker->pinned, own ? worker : NULL);
}

FG_READS_HINTS void
fg_lend_answer(struct fg_worker *worker, unsigned staying)
{
	struct fg_crew *crew = &worker->crew;
	uint64_t request = fg_load_relaxed(&fg_parts(worker)->lend.wanted);
	unsigned here = fg_load_relaxed(&crew->waiting) + fg_load_relaxed(&worker->pinned.count) + staying;
	if (request >> 16 != crew->phase + 1 || worker->place || here < 2)
		return;
	struct fg_identity *member = lendable(worker);
	if (!member)
		return;
	assert(member->kind == FG_DONOR && member->crew_of && (member->in_crew.lent || member->crew_of == worker));
	assert((request & 0xffff) < crew->slots && (request & 0xffff) != worker->slot);
	if (!member->in_crew.lent)
		member->crew_of->crew.lent++;
	member->in_crew.lent = true;
	member->pinned = fg_slot(crew->team, request & 0xffff);
	fg_cas_relaxed(&fg_parts(worker)->lend.wanted, &request, 0);
	fg_parts(worker)->statistics.loans++;
	fg_worker_trace(FG_EVENT_lend, member, fg_worker_leaf(member->pinned)->first_pu, 0);
	fg_worker_ready(member);
}

static void
returned_callback(void *arg)
{
	struct fg_identity *member = arg;
	struct fg_worker *owner = member->crew_of;
	assert(member != fg_self() && !member->in_crew.lent && member->pinned == owner);
	void *first = fg_load_relaxed(&fg_parts(owner)->lend.returned_first);
	do
		member->next = first;
	while (!fg_cas_release(&fg_parts(owner)->lend.returned_first, &first, member));
	fg_add_acq_rel(&fg_parts(owner)->lend.returned, 1);
	fg_wake_worker(owner);
}

void
fg_lend_return(struct fg_identity *self)
{
	assert(self->in_crew.lent && self == fg_self());
	fg_worker_prepare_to_leave(self);
	self->in_crew.lent = false;
	self->pinned = self->crew_of;
	fg_worker_leave(self, returned_callback, self);
}

static bool
all_back(struct fg_worker *worker)
{
	return fg_load_acquire(&fg_parts(worker)->lend.returned) == worker->crew.lent;
}

static bool
all_back_or_called(struct fg_worker *worker)
{
	return all_back(worker) || fg_help_calls(worker);
}

void
fg_lend_collect(struct fg_identity *self)
{
	struct fg_worker *worker = self->worker;
	fg_help_wait(self, all_back, all_back_or_called);
	struct fg_identity *first = fg_load_relaxed(&fg_parts(worker)->lend.returned_first);
	fg_store_relaxed(&fg_parts(worker)->lend.returned_first, NULL);
	fg_crew_returned(worker, first);
	assert(worker->crew.lent == 0 && fg_load_stable(&fg_parts(worker)->lend.returned) == 0 &&
	       fg_crew_valid(worker));
}
