/* Valid: the invariants of the ride of workers on one kernel thread, as a function for asserts (floor: exec; see
 * ride.h). Builds without assert have none of this. The owner of the ride asks, and nothing is changed. */
#ifndef NDEBUG
#include "exec/grant/ride.h"
#include "exec/thread/worker_parts.h"

bool
fg_ride_valid(struct fg_worker *worker)
{
	const struct fg_worker *head = fg_worker_head(worker);
	assert(fg_parts(worker)->ride.next || (head == worker && !fg_load_stable(&worker->head)));
	for (const struct fg_worker *one = fg_parts(worker)->ride.next; one;
	     one = one == worker ? NULL : fg_parts(one)->ride.next) {
		assert(fg_load_stable(&one->head) == (void *)head && one->tid == head->tid);
		assert(one == head || (one->slot != 0 && one->carries));
		assert(fg_load_stable(&one->spare) == fg_load_stable(&head->spare));
		assert(fg_load_stable(&one->current) && fg_parts(one)->ride.next);
	}
	return true;
}
#endif
