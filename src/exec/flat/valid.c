/* Valid: the invariants of forks, phases and joins, as functions for asserts (floor: exec; see dock_line.h, and dock.c
 * for the protocol). Builds without assert have none of this. The worker itself asks, and nothing is changed. */
#ifndef NDEBUG
#include "exec/flat/dock_line.h"
#include "exec/flat/help.h"
#include "exec/loop/crew.h"
#include "exec/thread/root_worker.h"
#include "exec/thread/worker_parts.h"

static uint64_t
last_fork(const struct fg_dock *dock)
{
	return fg_load_stable(&dock->fork.epoch) >> 16;
}

bool
fg_dock_fork_valid(const struct fg_root *root)
{
	const struct fg_dock *dock = &root->dock;
	const struct fg_worker *worker = fg_root_worker(root);
	assert(fg_self() == &root->identity && fg_root_valid(root));
	assert(fg_load_stable(&dock->owner) == root && fg_help_none(root));
	assert(!worker->carries && !fg_load_stable(&worker->head) && !worker->wait.docked);
	assert(worker->crew.phase == dock->base && last_fork(dock) <= dock->base);
	return true;
}

bool
fg_dock_join_valid(const struct fg_root *root)
{
	const struct fg_dock *dock = &root->dock;
	const struct fg_worker *worker = fg_root_worker(root);
	assert(fg_self() == &root->identity && fg_worker_valid(worker) && fg_crew_valid(worker));
	assert(fg_load_stable(&dock->owner) == root && fg_help_none(root));
	assert(worker->carries && !fg_load_stable(&worker->head) && !worker->wait.docked &&
	       !fg_load_stable(&worker->spare));
	assert(worker->crew.phase > dock->base && worker->crew.phase >= last_fork(dock));
	return true;
}

/* fg_hiring.nowhere has no owner. The end of all workers is a fork there. */
bool
fg_dock_forked_valid(const struct fg_worker *worker)
{
	const struct fg_dock *dock = worker->flat.dock;
	assert(fg_worker_is_own(worker) && fg_crew_valid(worker) && !worker->wait.docked);
	assert(fg_load_stable(&dock->owner) || !dock->fork.body);
	assert(worker->flat.post->dock == dock && worker->flat.post->slot == worker->slot && worker->slot != 0);
	assert(worker->slot < (fg_load_stable(&dock->fork.epoch) & SLOTS_MAX));
	assert(last_fork(dock) > worker->crew.phase);
	return true;
}

bool
fg_dock_phase_over_valid(const struct fg_worker *worker)
{
	const struct fg_crew *crew = &worker->crew;
	uint64_t phase = crew->phase + 1;
	assert(fg_worker_is_own(worker) && fg_crew_valid(worker));
	assert(crew->arrived == crew->count && crew->lent == 0 && crew->out == 0);
	assert(phase >= crew->region && fg_load_stable(&worker->done[phase & 1].phase) < phase);
	assert(crew->slots == crew->root->slots && worker->slot < crew->slots);
	return true;
}

bool
fg_dock_phase_begun_valid(const struct fg_worker *worker, const struct fg_identity *first)
{
	const struct fg_crew *crew = &worker->crew;
	assert(fg_crew_valid(worker) && fg_crew_list_valid(worker, first));
	assert(!crew->led && !crew->crossing && crew->arrived == 0 && crew->lent == 0);
	assert(fg_load_stable(&crew->waiting) + 1 == crew->count);
	assert(fg_load_stable(&fg_parts(worker)->lend.returned) == 0 &&
	       !fg_load_stable(&fg_parts(worker)->lend.returned_first));
	return true;
}
#endif
