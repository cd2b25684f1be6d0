/* Move (floor: exec): see move.h.
 *
 * The table `ways` has a row for each kind of thread. These kinds move:
 *
 *     FREE       Any worker may run it: a member of a nested region, or a docked member that has met one (loosen.h).
 *                It gets another level, by fg_live_tree_send. If it lies on a runqueue it moves at once. If it waits,
 *                it goes there as it becomes ready (loop/ready.c). If it runs, it leaves its PU at its next switch. If
 *                it is stopped (stop.h), it will go on there.
 *     ALONE      A docked member alone on its worker. The worker exchanges its seat with another one of the team
 *                (exchange.h). Each of the two sits there from its next barrier, wait or switch on.
 *     OF_CREW    A docked member of a larger crew. The others share its worker's seat, so it goes to another crew
 *                (transfer.h), at its next barrier or at the end of its region. If it is the last of its crew to arrive
 *                there, it goes one barrier later.
 *
 * The last two cannot be one way. A member alone on its worker is the last of its crew to arrive, so it is not saved at
 * a barrier, and most such members have their worker's kernel thread. Members of a larger crew share one seat.
 *
 * The other kinds stay. A member that is not born yet is no thread: it moves with its bubble (forest/move.h).
 *
 * The kind of a thread may change at any time, so it is a hint. Each way looks again where that matters. */
#include "exec/move/move.h"

#include "exec/ground/hooks.h"
#include "exec/move/exchange.h"
#include "exec/move/transfer.h"
#include "exec/thread/clock.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/facts.h"
#include "sched/decision.h"
#include "sched/live_tree.h"

static struct fg_identity *
identity_of(const struct fg_entity *thread)
{
	return (struct fg_identity *)((char *)thread - offsetof(struct fg_identity, entity));
}

/* The worker that carries the thread; NULL: none does. `worker` of an identity is written before `current` of that
 * worker, on every switch. */
FG_READS_HINTS static struct fg_worker *
carried_by(const struct fg_identity *thread)
{
	struct fg_worker *worker = thread->worker;
	return worker && fg_worker_carried(worker) == thread ? worker : NULL;
}

int
fg_move_where(const struct fg_entity *thread)
{
	struct fg_worker *worker = carried_by(identity_of(thread));
	return worker ? (int)fg_worker_pu(worker) : -1;
}

FG_READS_HINTS int
fg_move_last(const struct fg_entity *thread)
{
	struct fg_worker *worker = identity_of(thread)->worker;
	return worker ? (int)fg_worker_pu(worker) : -1;
}

uint64_t
fg_move_runs_for(const struct fg_entity *thread)
{
	return fg_clock_shows(identity_of(thread));
}

void
fg_move_hasten(struct fg_entity *thread)
{
	const struct fg_identity *identity = identity_of(thread);
	fg_exec_hooks.hasten(carried_by(identity), identity);
	fg_monitor_poke();
}

FG_READS_HINTS static bool
exchange(struct fg_entity *thread, struct fg_runqueue *level)
{
	struct fg_worker *worker = identity_of(thread)->crew_of, *other = fg_exchange_seats(worker, level);
	if (!other)
		return false;
	fg_decision_placed(thread, fg_place_of(NULL), fg_place_of(level));
	if (other == worker)
		return true;
	fg_identities_read();
	fg_exec_hooks.hasten(worker, fg_worker_carried(worker));
	fg_exec_hooks.hasten(other, fg_worker_carried(other));
	fg_identities_read_end();
	fg_monitor_poke();
	return true;
}

static bool
transfer(struct fg_entity *thread, struct fg_runqueue *level)
{
	bool sent = fg_transfer_send(identity_of(thread), level);
	if (sent)
		fg_decision_placed(thread, fg_place_of(NULL), fg_place_of(level));
	return sent;
}

enum kind { FREE, ALONE, OF_CREW, HOME_OF_CREW, OF_PROGRAM, OF_KERNEL_TEAM, BOUND };

#define NO_WORKER_THERE "no other worker of its team can give it a PU there"

/* How each kind moves; NULL: it stays. And why not, if it does not move. */
static const struct {
	bool (*move)(struct fg_entity *thread, struct fg_runqueue *level);
	const char *why_not;
} ways[] = {
	[FREE] = {fg_live_tree_send, NO_WORKER_THERE}, /* why not: it was not free a moment ago */
	[ALONE] = {exchange, NO_WORKER_THERE},
	[OF_CREW] = {transfer, NO_WORKER_THERE},
	[HOME_OF_CREW] = {NULL, "its worker's kernel thread belongs to it, and other members share that worker"},
	[OF_PROGRAM] = {NULL, "it is a thread of the program"},
	[OF_KERNEL_TEAM] = {NULL, "it has a kernel thread of its own"},
	[BOUND] = {NULL, "it is bound to a place"},
};

FG_READS_HINTS static enum kind
kind_of(const struct fg_identity *thread)
{
	if (!thread->pinned)
		return FREE;
	if (thread->root)
		return OF_PROGRAM;
	if (!thread->crew_of)
		return OF_KERNEL_TEAM;
	if (thread->place)
		return BOUND;
	if (fg_worker_members(thread->crew_of) == 1)
		return ALONE;
	return thread->kind == FG_DONOR ? OF_CREW : HOME_OF_CREW;
}

bool
fg_move(struct fg_entity *thread, struct fg_runqueue *level)
{
	enum kind kind = kind_of(identity_of(thread));
	assert(thread->kind == FG_ENTITY_THREAD && level->n_pus > 0);
	return ways[kind].move && ways[kind].move(thread, level);
}

bool
fg_move_is_free(const struct fg_entity *thread)
{
	return kind_of(identity_of(thread)) == FREE;
}

const char *
fg_move_why_not(const struct fg_entity *thread)
{
	return ways[kind_of(identity_of(thread))].why_not;
}
