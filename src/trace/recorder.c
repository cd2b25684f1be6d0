/* Recorders (floor: trace): see recorder.h. The list only grows at its head. */
#include "trace/recorder.h"

#include "base/atomic.h"

static struct fg_atomic_ptr recorders;
static bool (*identity_part)(const void *identity, struct fgomp_part *part); /* there before the first recorder is */

void
fg_recorder_add(struct fgomp_recorder *recorder, bool (*part_of)(const void *identity, struct fgomp_part *part))
{
	void *first = fg_load_relaxed(&recorders);
	identity_part = part_of;
	do
		recorder->next = first;
	while (!fg_cas_acq_rel(&recorders, &first, recorder));
}

bool
fg_recorders_are_hooks(void)
{
	struct fgomp_recorder *one = fg_load_acquire(&recorders);
	while (one && !one->leave)
		one = one->next;
	return one != NULL;
}

static void
tell(const void *identity, bool leaves)
{
	struct fgomp_part part;
	struct fgomp_recorder *one = fg_load_acquire(&recorders);
	bool has = one && identity && identity_part(identity, &part);
	for (; one; one = one->next) {
		if (leaves && one->leave)
			one->leave();
		if (one->runs)
			one->runs(has ? &part : NULL);
	}
}

void
fg_recorders_leave(const void *identity)
{
	tell(identity, true);
}

void
fg_recorders_switch(const void *identity)
{
	tell(identity, false);
}

void
fg_recorders_end(void)
{
	for (struct fgomp_recorder *one = fg_load_acquire(&recorders); one; one = one->next)
		if (one->end)
			one->end();
}
