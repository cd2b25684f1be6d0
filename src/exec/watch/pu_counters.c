/* PU counters (floor: exec): see pu_counters.h. One thread at a time calls all functions but fg_pu_counters_ask: the
 * monitor, or the thread that has ended it.
 *
 * The counters are opened and read from outside, so the workers pay nothing for them. */
#include "exec/watch/pu_counters.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "exec/ground/options.h"
#include "exec/thread/facts.h"
#include "exec/thread/levels.h"
#include "exec/thread/worker_parts.h"
#include "platform/counters.h"
#include "platform/memory.h"
#include "platform/sanitizer.h"
#include "sched/policy.h"

#define PERIOD_LEAST 2000000

static struct {
	enum fg_event_kind kind;
	uint64_t period;
	const char *who;
	uint64_t *news;	 /* of each PU: events since the last look */
	uint64_t *last;	 /* of each PU: the last count, where PUs have counters */
	uint64_t looked; /* time of the last look; 0: none yet */
	bool moved;	 /* at the last look there were events */
} asked;

void
fg_pu_counters_ask(unsigned event, uint64_t period, const char *who)
{
	fg_memory_free(asked.news);
	fg_memory_free(asked.last);
	memset(&asked, 0, sizeof asked);
	asked.news = fg_memory_zeroed(fg_exec_options.n_pus * sizeof *asked.news);
	asked.last = fg_memory_zeroed(fg_exec_options.n_pus * sizeof *asked.last);
	asked.kind = asked.news && asked.last ? event : FG_COUNT_NOTHING;
	asked.period = period > PERIOD_LEAST ? period : PERIOD_LEAST;
	asked.who = who;
}

void
fg_pu_counters_forget(struct fg_worker *worker)
{
	if (fg_parts(worker)->counting.open)
		fg_counters->close(fg_parts(worker)->counting.handle);
	fg_parts(worker)->counting.open = false;
}

FG_READS_HINTS static void
give_up(int error)
{
	fg_note("bubble scheduler %s asks for %s, which cannot be counted here (%s): it is told that they are not "
		"known",
		asked.who, fg_event_names[asked.kind], strerror(error));
	asked.kind = FG_COUNT_NOTHING;
	asked.moved = false;
	for (struct fg_worker *worker = fg_worker_after(NULL); worker; worker = fg_worker_after(worker))
		fg_pu_counters_forget(worker);
	for (unsigned i = 0; i < fg_exec_options.n_pus; i++)
		fg_store_relaxed(&fg_levels_leaf(i)->events, 0);
}

/* Opens the counter of the kernel thread that carries the worker now. A kernel thread that has just ended has none. */
FG_READS_HINTS static bool
open_for(struct fg_worker *worker)
{
	struct fg_counting *counting = &fg_parts(worker)->counting;
	int tid = fg_worker_tid(worker);
	assert(asked.kind != FG_COUNT_NOTHING && asked.news && asked.last);
	if (counting->open && counting->tid == tid)
		return true;
	fg_pu_counters_forget(worker);
	int64_t handle = fg_counters->open(asked.kind, tid, fg_worker_pu(worker));
	if (handle < 0) {
		if (handle != -ESRCH)
			give_up((int)-handle);
		return false;
	}
	*counting = (struct fg_counting){.open = true, .handle = handle, .tid = tid};
	return true;
}

/* The events of the worker's kernel thread since the last look. */
static uint64_t
news_of(struct fg_worker *worker)
{
	uint64_t count;
	if (!open_for(worker))
		return 0;
	if (!fg_counters->read(fg_parts(worker)->counting.handle,
			       &count)) { /* closed by the program: anew at the next look */
		fg_pu_counters_forget(worker);
		return 0;
	}
	uint64_t news = count > fg_parts(worker)->counting.last ? count - fg_parts(worker)->counting.last : 0;
	fg_parts(worker)->counting.last = count;
	return news;
}

/* For machines whose PUs have counters. */
static void
read_pus(void)
{
	for (unsigned pu = 0; pu < fg_exec_options.n_pus; pu++) {
		uint64_t count;
		if (!fg_counters->of_pu(asked.kind, pu, &count)) {
			give_up(ENOTSUP);
			return;
		}
		asked.news[pu] = count - asked.last[pu];
		asked.last[pu] = count;
	}
}

FG_READS_HINTS static void
read_all(void)
{
	memset(asked.news, 0, fg_exec_options.n_pus * sizeof *asked.news);
	if (fg_counters->of_pu) {
		read_pus();
		return;
	}
	for (struct fg_worker *worker = fg_worker_after(NULL); worker; worker = fg_worker_after(worker))
		if (fg_worker_is_carrying(worker) && asked.kind != FG_COUNT_NOTHING)
			asked.news[fg_worker_pu(worker)] += news_of(worker);
}

static void
publish(double seconds)
{
	assert(seconds > 0 && asked.kind != FG_COUNT_NOTHING);
	asked.moved = false;
	for (unsigned pu = 0; pu < fg_exec_options.n_pus; pu++) {
		struct fg_runqueue *leaf = fg_levels_leaf(pu);
		double rate = (double)asked.news[pu] / seconds;
		fg_store_relaxed(&leaf->events, (uint64_t)rate + 1);
		asked.moved |= asked.news[pu] != 0;
	}
	for (unsigned pu = 0; pu < fg_exec_options.n_pus; pu++)
		fg_policy_counted((double)asked.news[pu] / seconds, fg_levels_leaf(pu));
}

bool
fg_pu_counters_look(uint64_t now)
{
	assert(fg_lock_order_none("tells counts with"));
	if (asked.kind == FG_COUNT_NOTHING)
		return false;
	uint64_t passed = now - asked.looked;
	if (passed < asked.period)
		return asked.moved;
	read_all();
	if (asked.looked && asked.kind != FG_COUNT_NOTHING)
		publish((double)passed * 1e-9);
	asked.looked = now;
	return asked.moved;
}

uint64_t
fg_pu_counters_due(void)
{
	return asked.kind == FG_COUNT_NOTHING ? UINT64_MAX : asked.looked + asked.period;
}
