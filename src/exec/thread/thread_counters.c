/* Thread counters (floor: exec): see thread_counters.h. */
#include "exec/thread/thread_counters.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "exec/thread/facts.h"
#include "exec/thread/identity.h"
#include "exec/thread/worker_parts.h"
#include "forest/time.h"
#include "platform/counters.h"
#include "sched/policy.h"

#define UNKNOWN UINT64_MAX

struct fg_thread_counters fg_thread_counters;

void
fg_thread_counters_ask(unsigned event, const char *who)
{
	fg_thread_counters.kind = event;
	fg_thread_counters.asker = who;
	fg_thread_counters.on = true;
	fg_store_relaxed(&fg_thread_counters.refused, 0);
	fg_store_relaxed(&fg_thread_counters.untold, 0);
	fg_store_relaxed(&fg_policies.events, event);
}

/* The counts so far are not complete. The caller may be the handler that preempts. */
static void
give_up(int error)
{
	if (fg_exchange_acq_rel(&fg_thread_counters.refused, 1))
		return;
	fg_store_relaxed(&fg_policies.events, FGOMP_NO_EVENT);
	fg_store_relaxed(&fg_thread_counters.untold, (uint32_t)error);
}

void
fg_thread_counters_tell(void)
{
	int error = 0;
	if (__builtin_expect(fg_load_relaxed(&fg_thread_counters.untold) != 0, 0))
		error = (int)fg_exchange_acq_rel(&fg_thread_counters.untold, 0);
	if (!error)
		return;
	fg_note("bubble scheduler %s wants %s counted for each thread, which cannot be done here (%s): it is told that "
		"they are not known",
		fg_thread_counters.asker, fg_event_names[fg_thread_counters.kind], strerror(error));
}

static void
close_for(struct fg_worker *worker)
{
	if (fg_parts(worker)->counting_threads.open)
		fg_counters->close(fg_parts(worker)->counting_threads.handle);
	fg_parts(worker)->counting_threads.open = false;
}

/* Opens the counter of the worker's kernel thread. A kernel thread that has just ended has none. */
static bool
open_for(struct fg_worker *worker)
{
	struct fg_thread_counters_file *file = &fg_parts(worker)->counting_threads;
	int tid = fg_worker_tid(worker);
	if (file->open && file->tid == tid)
		return true;
	close_for(worker);
	int64_t handle = fg_counters->open(fg_thread_counters.kind, tid, fg_worker_pu(worker));
	*file = (struct fg_thread_counters_file){.open = handle >= 0, .tid = tid, .handle = handle};
	if (handle < 0 && handle != -ESRCH)
		give_up((int)-handle);
	return handle >= 0;
}

/* The count of the worker's kernel thread. UNKNOWN: it cannot be read. */
static uint64_t
count_of(struct fg_worker *worker)
{
	uint64_t count = UNKNOWN;
	if (fg_load_relaxed(&fg_thread_counters.refused))
		return UNKNOWN;
	if (!fg_counters->of_caller) {
		if (open_for(worker) && fg_counters->read(fg_parts(worker)->counting_threads.handle, &count))
			return count;
		close_for(worker); /* perhaps closed by the program: anew the next time */
		return UNKNOWN;
	}
	if (fg_counters->of_caller(fg_thread_counters.kind, &count))
		return count;
	give_up(ENOTSUP);
	return UNKNOWN;
}

void
fg_thread_counters_in(struct fg_identity *thread)
{
	thread->clock.events_since = count_of(thread->worker);
	thread->clock.events_handle = fg_parts(thread->worker)->counting_threads.handle;
}

/* A counter that was opened meanwhile tells nothing about the time before. */
void
fg_thread_counters_out(struct fg_identity *thread)
{
	uint64_t count = count_of(thread->worker), since = thread->clock.events_since;
	if (count != UNKNOWN && since != UNKNOWN && count >= since &&
	    thread->clock.events_handle == fg_parts(thread->worker)->counting_threads.handle)
		fg_time_add(&thread->entity.time->own_events, count - since);
}
