/* Trace: it opens and closes the record of events (floor: trace): see trace.h. lane.c writes the events. */
#define _GNU_SOURCE
#include "trace/trace.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/atomic.h"
#include "base/carrier.h"
#include "base/options.h"
#include "base/uncancelled.h"
#include "platform/sanitizer.h"
#include "trace/file.h"
#include "trace/lane.h"
#include "trace/names.h"
#include "trace/recorder.h"
#include "trace/sums.h"
#include "trace/texts.h"

struct fg_recording fg_recording;
static struct {
	void (*describe)(void);
	pthread_once_t once;
	struct fg_atomic_u32 n_bubbles;
	uint64_t loaded; /* when the library was loaded; 0: not known */
} run = {.once = PTHREAD_ONCE_INIT};

/* Workers may go on meanwhile, and read the variables that are written here. Their later events are not in the file. */
FG_READS_HINTS static void
stop(void)
{
	fg_recording.trace = fg_recording.sums = fg_recording.any = false;
	fg_trace_lanes_open(false);
}

static void
open_file(void)
{
	int saved = errno;
	const char *name = fg_options.trace[0] ? fg_options.trace : fg_options.stats;
	bool open = fg_trace_file_open(name, fg_options.trace[0] ? "FGOMP_TRACE" : "FGOMP_STATS", run.loaded, stop);
	if (!open)
		fg_recording.trace = fg_recording.sums = fg_recording.any = false;
	if (open) {
		fg_trace_modules_write();
		run.describe();
	}
	if (fg_recording.trace)
		fg_trace_texts_begin();
	fg_trace_lanes_open(open && fg_recording.any);
	errno = saved;
}

void
fg_trace_open(void)
{
	int cancel = fg_uncancelled_begin();
	pthread_once(&run.once, open_file);
	fg_uncancelled_end(cancel);
	fg_store_release(&fg_recording.opened, 1);
}

uint32_t
fg_trace_meet(void (*function)(void *), uint32_t parent, uint32_t member)
{
	uint32_t bubble = fg_add_relaxed(&run.n_bubbles, 1) + 1;
	fg_trace_names_note((uintptr_t)function);
	fg_trace(FG_EVENT_meet, bubble, member, parent, (uintptr_t)function);
	return bubble;
}

__attribute__((destructor)) static void
end(void)
{
	if (fg_recording.trace && fg_trace_lanes_are_open())
		fg_recorders_end();
	bool open = fg_trace_lanes_are_open();
	stop();
	if (!open)
		return;
	int cancel = fg_uncancelled_begin();
	fg_trace_names_write();
	uint64_t lost;
	unsigned n_lanes = fg_trace_lanes_count(&lost);
	fg_trace_file_close(fg_carrier->now(), lost + fg_sums_dropped(), n_lanes);
	fg_uncancelled_end(cancel);
}

void
fg_trace_start(struct fg_trace_lane **(*here)(struct fg_trace_worker *worker), void (*describe)(void))
{
	fg_trace_lanes_start(here);
	run.describe = describe;
	fg_recording.trace = fg_options.trace[0] != '\0';
	fg_recording.sums = fg_options.stats[0] != '\0';
	fg_recording.any = fg_recording.trace || fg_recording.sums;
	if (fg_recording.any && fg_carrier == &fg_carrier_live)
		run.loaded = fg_carrier->now();
}

void
fg_trace_after_fork(void)
{
	fg_recording.trace = fg_recording.sums = fg_recording.any = false;
	fg_trace_lanes_open(false);
}
