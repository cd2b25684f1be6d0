/* Crew (floor: exec): see crew.h. The protocol by which members go to other workers and are called is in
 * lend.c. */
#include "exec/loop/crew.h"

#include "exec/body/alternate.h"
#include "exec/thread/root_state.h"
#include "exec/thread/worker_parts.h"

void
fg_crew_run(struct fg_identity *self, struct fg_crew *crew)
{
	const struct fg_fork *fork = crew->fork;
	assert(self == fg_self() && crew == &self->crew_of->crew && !self->in_crew.recalled);
	if (__builtin_expect(self->in_crew.environment != crew->root->environment, 0)) {
		self->in_crew.environment = crew->root->environment;
		fg_alternate_forget(self);
		fg_float_set(crew->root->floats);
	}
	fg_float_follow(&fork->modes);
	fork->body(fork->job, self->member);
}

/* After a membarrier, a thread that holds the worker's thread reads the owner's writes. */
FG_READS_HINTS struct fg_identity *
fg_crew_take(struct fg_crew *crew)
{
	unsigned waiting = fg_load_relaxed(&crew->waiting);
	if (waiting == 0)
		return NULL;
	struct fg_identity *member = crew->next;
	assert(!member->in_crew.lent && !member->in_crew.recalled && crew == &member->crew_of->crew);
	crew->next = member->in_crew.next;
	fg_store_relaxed(&crew->waiting, waiting - 1);
	return member;
}

/* Members that were lent and have returned count as arrived from now on. The counter `returned` may lag behind the
 * list. */
void
fg_crew_returned(struct fg_worker *worker, struct fg_identity *member)
{
	struct fg_crew *crew = &worker->crew;
	while (member) {
		struct fg_identity *next = member->next;
		fg_add_relaxed(&fg_parts(worker)->lend.returned, -1u);
		assert(crew->lent > 0 && member->crew_of == worker && !member->in_crew.lent);
		crew->lent--;
		crew->arrived++;
		fg_crew_idle(crew, member);
		member = next;
	}
}

FG_READS_HINTS bool
fg_crew_idles(const struct fg_worker *worker)
{
	const struct fg_crew *crew = &worker->crew;
	return (crew->led || crew->arrived + crew->lent < crew->count) &&
	       (crew->idlers || fg_load_relaxed(&fg_parts(worker)->lend.returned_first) != NULL);
}

struct fg_identity *
fg_crew_recall(struct fg_worker *worker)
{
	struct fg_crew *crew = &worker->crew;
	if (!crew->idlers)
		fg_crew_returned(worker, fg_exchange_acquire(&fg_parts(worker)->lend.returned_first, NULL));
	struct fg_identity *member = crew->idlers;
	crew->idlers = member->next;
	assert(member->crew_of && !member->in_crew.recalled && crew->arrived > crew->out);
	if (crew->led)
		crew->out++;
	else
		crew->arrived--;
	assert(fg_worker_is_own(worker) && fg_crew_valid(worker));
	member->in_crew.recalled = true;
	return member;
}

/* The caller may be among the idlers: a primary thread that was not the last to arrive is. */
void
fg_crew_lead(struct fg_identity *self)
{
	struct fg_crew *crew = &self->worker->crew;
	struct fg_identity **link = &crew->idlers;
	assert(!crew->led && crew->out == 0 && crew->arrived + crew->lent == crew->count);
	while (*link && *link != self)
		link = &(*link)->next;
	if (*link)
		*link = self->next;
	crew->led = true;
	assert(fg_crew_valid(self->worker));
}

void
fg_crew_lead_end(struct fg_identity *self)
{
	struct fg_crew *crew = &self->worker->crew;
	assert(crew->led && crew->out == 0 && fg_crew_valid(self->worker));
	crew->led = false;
}

bool
fg_crew_may_lend(struct fg_worker *worker)
{
	return fg_load_relaxed(&worker->crew.waiting) != 0 || fg_load_relaxed(&worker->pinned.count) != 0;
}
