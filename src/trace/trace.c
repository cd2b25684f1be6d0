/* Trace: rings of events and the file they end in (floor: trace). */
#define _GNU_SOURCE
#include "trace/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/atomic.h"
#include "base/carrier.h"
#include "base/log.h"
#include "base/options.h"

#define EVENTS_MAX (1u << 16) /* of a worker, 1 MiB of address space */

struct event {
	uint64_t time; /* ns */
	uint32_t value;
	uint16_t event, worker;
};

struct fg_trace_ring {
	struct fg_trace_ring *next;
	struct fg_atomic_u64 count; /* events so far; the newest EVENTS_MAX of them are in the ring */
	uint16_t number;
	struct event events[EVENTS_MAX];
};

bool fg_trace_on;
static struct fg_atomic_ptr rings;
static struct fg_atomic_u32 n_rings;
static uint64_t start_time;

static const char *const names[] = {
#define FG_EVENT_TEXT(event, meaning) #event,
	FG_EVENTS(FG_EVENT_TEXT)
#undef FG_EVENT_TEXT
};

/* By mmap: an event may be in a signal handler's path. */
static struct fg_trace_ring *
ring_new(void)
{
	struct fg_trace_ring *ring =
		mmap(NULL, sizeof *ring, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (ring == MAP_FAILED)
		return NULL;
	ring->number = (uint16_t)fg_add_relaxed(&n_rings, 1);
	ring->next = fg_load_acquire(&rings);
	while (!fg_cas_acq_rel(&rings, (void **)&ring->next, ring))
		;
	return ring;
}

void
fg_trace_slow(struct fg_trace_ring **ring, enum fg_event event, uint32_t value)
{
	int saved = errno;
	if (!*ring)
		*ring = ring_new();
	struct fg_trace_ring *own = *ring;
	errno = saved;
	if (!own)
		return;
	uint64_t count = fg_load_relaxed(&own->count);
	own->events[count % EVENTS_MAX] = (struct event){fg_carrier->now(), value, (uint16_t)event, own->number};
	fg_store_release(&own->count, count + 1);
}

static int
by_time(const void *a, const void *b)
{
	uint64_t x = ((const struct event *)a)->time, y = ((const struct event *)b)->time;
	return (x > y) - (x < y);
}

static size_t
gather(struct event *all, size_t room)
{
	size_t n = 0;
	for (struct fg_trace_ring *ring = fg_load_acquire(&rings); ring; ring = ring->next) {
		uint64_t count = fg_load_acquire(&ring->count);
		uint64_t kept = count < EVENTS_MAX ? count : EVENTS_MAX;
		if (kept > room - n)
			kept = room - n;
		if (all)
			memcpy(all + n, ring->events, kept * sizeof *all);
		n += kept;
	}
	return n;
}

/* Workers may go on meanwhile: what they add is not in the file. */
static void
write_file(void)
{
	fg_trace_on = false;
	size_t n = gather(NULL, SIZE_MAX);
	struct event *all = malloc(n * sizeof *all + 1);
	FILE *file = all ? fopen(fg_options.trace, "w") : NULL;
	if (!file) {
		fg_error("FGOMP_TRACE: cannot write '%s': %s; the trace is lost", fg_options.trace, strerror(errno));
		free(all);
		return;
	}
	n = gather(all, n);
	qsort(all, n, sizeof *all, by_time);
	for (size_t i = 0; i < n; i++)
		fprintf(file, "%.3f %u %s %u\n", (double)(all[i].time - start_time) / 1e3, all[i].worker,
			names[all[i].event], all[i].value);
	fclose(file);
	free(all);
}

__attribute__((destructor)) static void
end(void)
{
	if (fg_trace_on)
		write_file();
}

void
fg_trace_start(void)
{
	fg_trace_on = fg_options.trace[0] != '\0';
	if (fg_trace_on)
		start_time = fg_carrier->now();
}

void
fg_trace_after_fork(void)
{
	fg_trace_on = false;
}
