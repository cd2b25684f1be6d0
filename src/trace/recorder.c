/* Recorders (floor: trace): see recorder.h. The list only grows at its head. */
#include "trace/recorder.h"

#include "base/atomic.h"

static struct fg_atomic_ptr recorders;

void
fg_recorder_add(struct fgomp_recorder *recorder)
{
	void *first = fg_load_relaxed(&recorders);
	do
		recorder->next = first;
	while (!fg_cas_acq_rel(&recorders, &first, recorder));
}

bool
fg_recorders_any(void)
{
	return fg_load_acquire(&recorders) != NULL;
}

void
fg_recorders_leave(void)
{
	for (struct fgomp_recorder *one = fg_load_acquire(&recorders); one; one = one->next)
		one->leave();
}

void
fg_recorders_end(void)
{
	for (struct fgomp_recorder *one = fg_load_acquire(&recorders); one; one = one->next)
		one->end();
}
