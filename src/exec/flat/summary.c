/* Summary (floor: exec): see summary.h. */
#include "exec/flat/summary.h"

#include "exec/flat/dock_line.h"
#include "exec/flat/groups.h"
#include "exec/flat/help_look.h"
#include "exec/thread/worker_parts.h"
#include "platform/memory.h"

/* A worker that looks so often and does not find a summary looks at the workers' lines themselves. */
#define SUMMARY_TURNS 64

enum kind { WORKER, GROUP, STORE };

struct step {
	struct fg_done *line; /* the even and the odd one: of a worker, or of a group */
	uint16_t kind;
	uint16_t group; /* kind GROUP: its number */
};

struct fg_steps {
	unsigned n, room;
	unsigned stores; /* one more than the last step that stores a summary; 0: there is none */
	const struct fg_groups *groups;
	/* Of the wait that goes on: its phase, the steps that are left, and the looks until the next at workers. */
	uint64_t phase;
	unsigned next, end, turns;
	uint32_t progress; /* of the worker, at the last look */
	bool joins;	   /* the worker stores no summary */
	struct step step[];
};

bool
fg_summary_looks_farther(struct fg_worker *worker)
{
	struct fg_steps *steps = fg_parts(worker)->steps;
	uint32_t progress = fg_load_relaxed(&worker->progress);
	bool spins = progress == steps->progress && !fg_worker_rides(worker) && !fg_own_load_relaxed(&worker->asleep);
	steps->progress = progress;
	if (spins && steps->turns-- > 0)
		return false;
	steps->turns = SUMMARY_TURNS;
	return true;
}

static bool
workers_crossed(const struct fg_worker *worker, const struct fg_groups *groups, unsigned number, uint64_t phase)
{
	const struct fg_group *group = &groups->groups[number];
	for (unsigned i = group->from; i < group->to; i++)
		fg_prefetch_read(fg_done_line(fg_slot(worker->crew.team, groups->order[i]), phase));
	for (unsigned i = group->from; i < group->to; i++)
		if (fg_load_acquire(fg_done_line(fg_slot(worker->crew.team, groups->order[i]), phase)) < phase)
			return false;
	return true;
}

static void
store_summary(struct fg_done *line, uint64_t phase)
{
	fg_prefetch_write(&line[(phase + 1) & 1].phase);
	fg_store_release(&line[phase & 1].phase, phase);
}

static bool
crossed_groups(struct fg_worker *worker)
{
	struct fg_steps *steps = fg_parts(worker)->steps;
	uint64_t phase = steps->phase;
	for (; steps->next < steps->end; steps->next++) {
		const struct step *step = &steps->step[steps->next];
		if (step->kind == STORE) {
			if (!steps->joins)
				store_summary(step->line, phase);
		} else if (fg_load_acquire(&step->line[phase & 1].phase) < phase &&
			   (step->kind == WORKER || !fg_summary_looks_farther(worker) ||
			    !workers_crossed(worker, steps->groups, step->group, phase)))
			return false;
	}
	return true;
}

static bool
crossed_groups_or_called(struct fg_worker *worker)
{
	return crossed_groups(worker) || fg_help_calls(worker);
}

/* The lines are independent, so the worker fetches all at once. One that is not stored yet is fetched again later. */
static void
begin(struct fg_worker *worker, uint64_t phase, unsigned end)
{
	struct fg_steps *steps = fg_parts(worker)->steps;
	steps->phase = phase;
	steps->next = 0;
	steps->end = end;
	steps->turns = SUMMARY_TURNS;
	steps->progress = fg_load_relaxed(&worker->progress);
	for (unsigned i = 0; i < end; i++)
		if (steps->step[i].kind != STORE)
			fg_prefetch_read(&steps->step[i].line[phase & 1].phase);
}

void
fg_summary_wait(struct fg_identity *self, uint64_t phase, bool joins)
{
	struct fg_worker *worker = self->worker;
	fg_parts(worker)->steps->joins = joins;
	begin(worker, phase, fg_parts(worker)->steps->n);
	if (!fg_wait_briefly(worker, crossed_groups))
		fg_help_wait(self, crossed_groups, crossed_groups_or_called);
}

void
fg_summary_begin(struct fg_worker *worker, uint64_t phase)
{
	fg_parts(worker)->steps->joins = false;
	begin(worker, phase, fg_parts(worker)->steps->n);
}

bool
fg_summary_crossed(struct fg_worker *worker)
{
	return crossed_groups(worker);
}

/* The groups may be made anew meanwhile, so this looks at no workers but those of the steps. */
void
fg_summary_gather(struct fg_worker *worker)
{
	struct fg_steps *steps = fg_parts(worker)->steps;
	uint64_t phase = steps->phase;
	for (; steps->next < steps->stores; steps->next++) {
		const struct step *step = &steps->step[steps->next];
		if (step->kind == STORE)
			store_summary(step->line, phase);
		else if (fg_load_acquire(&step->line[phase & 1].phase) < phase)
			return;
	}
}

void
fg_summary_begin_gather(struct fg_worker *worker)
{
	begin(worker, worker->crew.phase, fg_parts(worker)->steps->stores);
}

/* Adds the parts of a group beside the one at `at`, its neighbours first, so that not all read one line first. */
static void
add_parts(struct fg_worker *worker, const struct fg_groups *groups, const struct fg_group *group, unsigned at)
{
	struct fg_steps *steps = fg_parts(worker)->steps;
	for (unsigned k = 1; k < group->n; k++) {
		struct fg_group_part part = groups->parts[group->first + (at + k) % group->n];
		struct fg_done *line =
			part.is_group ? groups->done[part.which] : fg_slot(worker->crew.team, part.which)->done;
		steps->step[steps->n++] = (struct step){line, part.is_group ? GROUP : WORKER, part.which};
	}
}

static unsigned
place_in(const struct fg_groups *groups, const struct fg_group *group, bool is_group, unsigned which)
{
	const struct fg_group_part *part = &groups->parts[group->first];
	unsigned at = 0;
	while (part[at].is_group != is_group || part[at].which != which)
		at++;
	return at;
}

static bool
make_room(struct fg_worker *worker, const struct fg_groups *groups)
{
	unsigned most = 0, number = groups->group_of[worker->slot], around = number;
	do {
		number = around;
		most += groups->groups[number].n; /* its other parts, and the summary */
		around = groups->groups[number].around;
	} while (around != number);
	if (!fg_parts(worker)->steps || fg_parts(worker)->steps->room < most) {
		fg_memory_free(fg_parts(worker)->steps);
		fg_parts(worker)->steps = fg_memory_get(sizeof(struct fg_steps) + most * sizeof(struct step));
		if (fg_parts(worker)->steps)
			fg_parts(worker)->steps->room = most;
	}
	return fg_parts(worker)->steps;
}

void
fg_summary_steps(struct fg_worker *worker, const struct fg_groups *groups)
{
	worker->crew.grouped = groups && groups->slots && make_room(worker, groups);
	if (!worker->crew.grouped)
		return;
	struct fg_steps *steps = fg_parts(worker)->steps;
	bool is_group = false;
	unsigned which = worker->slot, number = groups->group_of[which];
	assert(groups->slots == worker->crew.slots);
	steps->groups = groups;
	steps->n = steps->stores = 0;
	for (;;) {
		const struct fg_group *group = &groups->groups[number];
		add_parts(worker, groups, group, place_in(groups, group, is_group, which));
		if (group->around == number)
			break;
		if (group->lowest == worker->slot) {
			steps->step[steps->n++] = (struct step){groups->done[number], STORE, (uint16_t)number};
			steps->stores = steps->n;
		}
		is_group = true;
		which = number;
		number = group->around;
	}
	assert(steps->n <= steps->room);
}
