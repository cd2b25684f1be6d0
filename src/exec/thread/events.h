/* Events of threads in a trace (floor: exec; called by most files of exec and of the floor team). The caller has a
 * worker, and writes that one's lane (trace/trace.h). It may hold a lock, or be in the preemption handler. */
#pragma once
#include "exec/thread/identity.h"
#include "trace/sums.h"

/* An event of the running thread. */
static inline void
fg_worker_trace(enum fg_event event, const struct fg_identity *thread, uint32_t a, uint64_t b)
{
	if (__builtin_expect(fg_recording.trace, 0) && thread->thread.bubble)
		fg_trace_slow(event, thread->thread.bubble, thread->thread.num, a, b);
}
void fg_worker_trace_switch(const struct fg_identity *self, const struct fg_identity *next);
