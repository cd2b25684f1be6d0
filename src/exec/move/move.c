/* Move (floor: exec): see move.h. */
#include "exec/move/move.h"

#include "exec/ground/hooks.h"
#include "exec/move/exchange.h"
#include "exec/move/transfer.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/worker.h"

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
	return worker && fg_load_relaxed(&worker->current) == thread ? worker : NULL;
}

int
fg_send_where(const struct fg_entity *thread)
{
	struct fg_worker *worker = carried_by(identity_of(thread));
	return worker ? (int)fg_worker_leaf(worker)->first_pu : -1;
}

FG_READS_HINTS int
fg_send_last(const struct fg_entity *thread)
{
	struct fg_worker *worker = identity_of(thread)->worker;
	return worker ? (int)fg_worker_leaf(worker)->first_pu : -1;
}

FG_READS_HINTS bool
fg_send_may(const struct fg_entity *thread)
{
	const struct fg_identity *identity = identity_of(thread);
	return !identity->pinned;
}

uint64_t
fg_send_runs_for(const struct fg_entity *thread)
{
	return fg_clock_shows(identity_of(thread));
}

void
fg_send_hasten(struct fg_entity *thread)
{
	const struct fg_identity *identity = identity_of(thread);
	fg_exec_hooks.hasten(carried_by(identity), identity);
	fg_monitor_poke();
}

/* The members of a larger crew share their worker's seat. So one of them goes to another crew, and the seat stays. */
FG_READS_HINTS bool
fg_send_docked(struct fg_entity *thread, struct fg_runqueue *level)
{
	const struct fg_identity *identity = identity_of(thread);
	struct fg_worker *worker = identity->crew_of;
	assert(thread->kind == FG_ENTITY_THREAD && level->n_pus > 0);
	if (identity->root || !worker || identity->place)
		return false;
	if (worker->crew.count != 1)
		return fg_transfer_send((struct fg_identity *)identity, level);
	struct fg_worker *other = fg_exchange_seats(worker, level);
	if (other && other != worker) {
		fg_identities_read();
		fg_exec_hooks.hasten(worker, fg_load_relaxed(&worker->current));
		fg_exec_hooks.hasten(other, fg_load_relaxed(&other->current));
		fg_identities_read_end();
		fg_monitor_poke();
	}
	return other;
}

FG_READS_HINTS const char *
fg_send_why_not(const struct fg_entity *thread)
{
	const struct fg_identity *identity = identity_of(thread);
	if (identity->root)
		return "it is a thread of the program";
	if (!identity->crew_of)
		return "it has a kernel thread of its own";
	if (identity->place)
		return "it is bound to a place";
	if (identity->crew_of->crew.count > 1 && identity->kind != FG_DONOR)
		return "its worker's kernel thread belongs to it, and other members share that worker";
	return "no other worker of its team can give it a PU there";
}
