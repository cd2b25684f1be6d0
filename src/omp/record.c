/* What recorders call (floor: omp): see include/forestgomp/record.h. The program's code calls these on any pthread,
 * outside the runtime. */
#include "forestgomp/record.h"
#include "base/export.h"
#include "exec/thread/identity.h"
#include "team/team.h"
#include "trace/format.h"
#include "trace/lane.h"
#include "trace/recorder.h"
#include "trace/trace.h"

/* A team of one goes on as the member that met it. The identity is the caller, or is suspended. */
static bool
part_of(const void *identity, struct fgomp_part *part)
{
	const struct fg_thread *thread = &((const struct fg_identity *)identity)->thread;
	while (thread->team && thread->team->size == 1)
		thread = &thread->team->saved;
	if (!thread->team || !thread->bubble)
		return false;
	*part = (struct fgomp_part){thread->team->fn, thread->team->size, thread->num, thread->bubble};
	return true;
}

static int
part_now(struct fgomp_part *part)
{
	const struct fg_identity *self = fg_self();
	return self && part_of(self, part);
}

static void
use(const struct fgomp_part *part, const void *address, unsigned units, int writes)
{
	struct fg_identity *self = fg_self();
	bool inside = fg_enter_again(self); /* a signal handler of the program may have interrupted the runtime */
	fg_trace(FG_EVENT_use, part->bubble, part->member,
		 units * FG_TRACE_USE_ONE + (writes ? FG_TRACE_USE_WRITES : 0), (uintptr_t)address);
	fg_leave_again(self, inside);
}

static void
lost(unsigned long accesses)
{
	fg_trace_lanes_lose(accesses);
}

FG_EXPORT const struct fgomp_recording *
fgomp_record(struct fgomp_recorder *recorder, unsigned version)
{
	static const struct fgomp_recording recording = {part_now, use, lost};
	if (version != FGOMP_RECORD_VERSION)
		return NULL;
	fg_recorder_add(recorder, part_of);
	return &recording;
}
