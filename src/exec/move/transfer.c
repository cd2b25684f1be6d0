/* Transfer (floor: exec): see transfer.h.
 *
 * A policy marks the member (`in_crew.to`), and then its worker W (`lend.parts`). The last of W's crew to arrive at the
 * end of a phase p takes the marked members out of the list and out of the count. It pushes each onto `incoming` of the
 * other worker V. Then it publishes p. V looks at `incoming` as its phase p + 1 begins.
 *
 * Each phase counts each member once. V begins p + 1 only after it has acquired W's line for p, or the epoch of a fork
 * that the primary thread has stored after that. So V sees the push then. But V may be late, and see it as it begins p,
 * which the member has been through already. Therefore the member carries the number p, and V leaves it where it is
 * until p is over. V may even be so late that it makes its crew after the push. So the root forgets what
 * was pushed in an earlier layout, before the fork.
 *
 * The member is saved: it has arrived, and is not the caller. No member is lent or called at this moment, because the
 * caller has collected the first, and leads for the second only later. An idler that leaves is no longer called there.
 *
 * Marks. The mark is stored before the member's worker is looked at again, with a full fence between the two. A worker
 * that a member joins stores `crew_of`, makes a full fence, and looks at the mark. So one of the two sees the other,
 * and the mark is not forgotten. A mark may be older than the layout: the worker that it names counts only if it is of
 * the team. */
#include "exec/move/transfer.h"

#include "exec/loop/crew.h"
#include "exec/thread/root_state.h"
#include "exec/thread/worker_parts.h"

void
fg_transfer_forget(const struct fg_root *root)
{
	for (unsigned i = 0; i < root->slots; i++) {
		/* Seldom is there one. Then the lines stay where they are. */
		struct fg_atomic_ptr *incoming = &fg_parts(fg_slot(root->dock.slot, i))->lend.incoming;
		if (fg_load_relaxed(incoming))
			fg_store_relaxed(incoming, NULL);
	}
}

static struct fg_worker *
at_level(const struct fg_crew *crew, const struct fg_runqueue *level)
{
	struct fg_worker *best = NULL;
	for (unsigned i = 0; i < crew->slots; i++) {
		struct fg_worker *worker = fg_slot(crew->team, i);
		const struct fg_runqueue *seat = worker ? fg_load_relaxed(&worker->seat) : NULL;
		if (seat && seat->first_pu - level->first_pu < level->n_pus &&
		    (!best || worker->crew.count < best->crew.count))
			best = worker;
	}
	return best;
}

/* The words of the crew are hints here. A crew that is dealt anew at this moment drops the mark. */
FG_READS_HINTS bool
fg_transfer_send(struct fg_identity *member, const struct fg_runqueue *level)
{
	struct fg_worker *worker = member->crew_of;
	if (member->kind != FG_DONOR || !fg_parts(worker)->lend.lends)
		return false;
	struct fg_runqueue *seat = fg_load_relaxed(&worker->seat);
	bool stays = seat->first_pu - level->first_pu < level->n_pus;
	/* The worker itself is a mark too: the member may join another crew at this moment. */
	struct fg_worker *to = stays ? worker : at_level(&worker->crew, level);
	if (!to)
		return false;
	fg_store_release(&member->in_crew.to, to);
	fg_store_release(&fg_parts(worker)->lend.parts, 1);
	fg_fence_seq_cst();
	if (member->crew_of != worker)
		fg_store_release(&fg_parts(member->crew_of)->lend.parts, 1);
	return true;
}

static bool
is_of_team(const struct fg_crew *crew, const struct fg_worker *worker)
{
	for (unsigned i = 0; i < crew->slots; i++)
		if (fg_slot(crew->team, i) == worker)
			return true;
	return false;
}

static void
idlers_remove(struct fg_crew *crew, const struct fg_identity *member)
{
	struct fg_identity **link = &crew->idlers;
	while (*link && *link != member)
		link = &(*link)->next;
	if (*link)
		*link = member->next;
}

static void
push(struct fg_worker *to, struct fg_identity *member)
{
	void *first = fg_load_relaxed(&fg_parts(to)->lend.incoming);
	do
		member->next = first;
	while (!fg_cas_release(&fg_parts(to)->lend.incoming, &first, member));
}

void
fg_transfer_part(struct fg_identity *self)
{
	struct fg_worker *worker = self->worker;
	struct fg_crew *crew = &worker->crew;
	fg_exchange_acquire(&fg_parts(worker)->lend.parts, 0);
	assert(crew->arrived == crew->count && crew->lent == 0 && crew->out == 0 && fg_crew_list_valid(worker, self));
	for (struct fg_identity *before = self, *member; (member = before->in_crew.next) != self;) {
		struct fg_worker *to = fg_exchange_acquire(&member->in_crew.to, NULL);
		if (!to || to == worker || !is_of_team(crew, to)) {
			before = member;
			continue;
		}
		before->in_crew.next = member->in_crew.next;
		if (crew->first == member)
			crew->first = member->in_crew.next;
		idlers_remove(crew, member);
		crew->arrived--;
		crew->count--;
		fg_store_relaxed(&member->in_crew.through, crew->phase + 1);
		push(to, member);
	}
	assert(crew->count > 0 && fg_crew_valid(worker));
	if (fg_load_relaxed(&self->in_crew.to) == NULL)
		return;
	if (crew->count > 1)
		fg_store_relaxed(&fg_parts(worker)->lend.parts, 1); /* the caller goes next time */
	else
		fg_store_relaxed(&self->in_crew.to, NULL); /* its worker must have a member */
}

void
fg_transfer_join(struct fg_worker *worker, struct fg_identity *first)
{
	struct fg_identity *member = fg_exchange_acquire(&fg_parts(worker)->lend.incoming, NULL);
	while (member) {
		struct fg_identity *next = member->next;
		if (fg_load_relaxed(&member->in_crew.through) > worker->crew.phase) {
			push(worker, member);
			member = next;
			continue;
		}
		assert(member->kind == FG_DONOR && !member->in_crew.lent && member->crew_of != worker);
		member->pinned = member->crew_of = worker;
		member->in_crew.next = first->in_crew.next;
		first->in_crew.next = member;
		worker->crew.count++;
		fg_fence_seq_cst();
		if (fg_load_relaxed(&member->in_crew.to) != NULL)
			fg_store_relaxed(&fg_parts(worker)->lend.parts, 1);
		member = next;
	}
}
