/* Valid: the invariants of a crew and of the ring of workers on one kernel thread, as functions for asserts (floor:
 * exec; see crew.h and ride.h). Builds without assert have none of this. */
#ifndef NDEBUG
#include "exec/loop/crew.h"
#include "exec/loop/ride.h"

bool
fg_crew_valid(const struct fg_worker *worker)
{
	const struct fg_crew *crew = &worker->crew;
	assert(fg_crew_holds(crew));
	assert(!crew->led || crew->arrived + crew->lent == crew->count);
	assert(crew->led || crew->out == 0);
	assert(!crew->crossing || crew->arrived == crew->count);
	assert(fg_load_stable(&crew->waiting) == 0 || crew->next->crew_of == worker);
	assert(!crew->idlers || crew->arrived > 0);
	assert(!crew->lends || crew->crowded);
	return true;
}

bool
fg_crew_ring_valid(const struct fg_worker *worker, const struct fg_identity *has)
{
	const struct fg_identity *first = worker->crew.first, *member = first;
	unsigned n = 0;
	bool met = false;
	do {
		assert(member->crew_of == worker && n < worker->crew.count);
		met |= member == has;
		n++;
	} while ((member = member->ring.next) != first);
	assert(n == worker->crew.count && met);
	return true;
}

bool
fg_ride_valid(struct fg_worker *worker)
{
	const struct fg_worker *head = fg_worker_head(worker);
	assert(worker->ride.next || (head == worker && !fg_load_stable(&worker->ride.head)));
	for (const struct fg_worker *one = worker->ride.next; one; one = one == worker ? NULL : one->ride.next) {
		assert(fg_load_stable(&one->ride.head) == (void *)head && one->tid == head->tid);
		assert(one == head || (one->slot != 0 && one->carries));
		assert(fg_load_stable(&one->relief.spare) == fg_load_stable(&head->relief.spare));
		assert(fg_load_stable(&one->current) && one->ride.next);
	}
	return true;
}
#endif
