/* Valid: the invariants of a crew, as functions for asserts (floor: exec; see crew.h). Builds without assert have none
 * of this. The owner asks, and nothing is changed. */
#ifndef NDEBUG
#include "exec/loop/crew.h"
#include "exec/thread/worker_parts.h"

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
	assert(!fg_parts(worker)->lend.lends || crew->oversubscribed);
	return true;
}

bool
fg_crew_list_valid(const struct fg_worker *worker, const struct fg_identity *has)
{
	const struct fg_identity *first = worker->crew.first, *member = first;
	unsigned n = 0;
	bool met = false;
	do {
		assert(member->crew_of == worker && n < worker->crew.count);
		met |= member == has;
		n++;
	} while ((member = member->in_crew.next) != first);
	assert(n == worker->crew.count && met);
	return true;
}
#endif
