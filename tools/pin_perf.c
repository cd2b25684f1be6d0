/* Samples of `perf` for `forestgomp pin` (command): see pin_perf.h. Each time of a member on a worker is a span of the
 * worker's kernel thread. The spans are sorted, so a sample finds its own by bisection. Two workers may share a kernel
 * thread, where PUs were taken away. Then the span that began last has it. */
#include "pin_perf.h"
#include "command.h"
#include "perf_text.h"
#include "plan/chance.h"
#include "plan/room.h"

#include <errno.h>
#include <string.h>

#define SAMPLES_MOST (1u << 20) /* beyond it, samples are chosen by chance */
#define UNITS_MOST (UINT32_MAX / FG_TRACE_USE_ONE)

struct carrying {
	uint64_t from;
	uint32_t lane, tid;
};

struct span {
	uint64_t from, to;
	uint32_t tid, bubble, member; /* bubble: its number */
};

struct spans {
	struct span *list;
	size_t n, room;
};

struct found {
	uint64_t address;
	uint32_t span, units;
	bool writes;
};

struct importer {
	struct spans spans;
	uint64_t from, to; /* of the run */
	struct found *found;
	size_t n, room;
	uint64_t chance;
	unsigned halved; /* one of 2^halved samples is taken */
	uint64_t lines, of_thread, of_run;
	struct perf_sample last;
	enum perf_field most; /* the line that tells the most has all fields before this one */
	bool is_data, cut;
};

static int
by_lane(const void *a, const void *b)
{
	const struct carrying *x = a, *y = b;
	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

static struct carrying *
find_carriers(const struct fg_trace *trace, size_t *n)
{
	struct carrying *list = fg_room(trace->n_items, sizeof *list);
	*n = 0;
	for (size_t i = 0; i < trace->n_items; i++)
		if (trace->items[i].record.event == FG_EVENT_carry)
			list[(*n)++] = (struct carrying){trace->items[i].record.time, trace->items[i].lane,
							 trace->items[i].record.a};
	if (*n)
		qsort(list, *n, sizeof *list, by_lane);
	return list;
}

/* The first one of that lane behind the time, or of a lane behind it. */
static size_t
carrier_after(const struct carrying *list, size_t n, uint32_t lane, uint64_t time)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (list[middle].lane < lane || (list[middle].lane == lane && list[middle].from <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A team of one belongs to the member that met it. Other teams within a region are left out. False: it is of such. */
static bool
member_of(const struct fg_story *story, uint32_t thread, struct span *span)
{
	const struct fg_story_bubble *bubble = &story->bubbles[story->threads[thread].bubble];
	span->member = story->threads[thread].member;
	for (; bubble->members == 1 && bubble->parent != FG_NOBODY; bubble = &story->bubbles[bubble->parent])
		span->member = bubble->parent_member;
	span->bubble = bubble->number;
	return bubble->parent == FG_NOBODY && bubble->members > 1;
}

static int
by_tid(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

static void
find_spans(const struct fg_story *story, const struct carrying *carriers, size_t n, struct spans *spans)
{
	for (size_t i = 0; i < story->n_slices; i++) {
		const struct fg_story_slice *slice = &story->slices[i];
		struct span span = {0};
		size_t next = carrier_after(carriers, n, slice->lane, slice->from);
		if (slice->doing == FG_WAITS || !member_of(story, slice->thread, &span))
			continue;
		for (span.from = slice->from; span.from < slice->to; span.from = span.to, next++) {
			bool more = next < n && carriers[next].lane == slice->lane && carriers[next].from < slice->to;
			span.to = more ? carriers[next].from : slice->to;
			if (next == 0 || carriers[next - 1].lane != slice->lane || span.to == span.from)
				continue;
			span.tid = carriers[next - 1].tid;
			if (spans->n == spans->room)
				spans->list = fg_room_more(spans->list, spans->n, &spans->room, 1024, sizeof span);
			spans->list[spans->n++] = span;
		}
	}
	if (spans->n)
		qsort(spans->list, spans->n, sizeof *spans->list, by_tid);
}

/* The last span of the thread that began up to then; if there is none, its first one. NULL: it has no span. */
static const struct span *
span_at(const struct spans *spans, uint32_t tid, uint64_t time)
{
	size_t low = 0, high = spans->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (spans->list[middle].tid < tid ||
		    (spans->list[middle].tid == tid && spans->list[middle].from <= time))
			low = middle + 1;
		else
			high = middle;
	}
	if (low > 0 && spans->list[low - 1].tid == tid)
		return &spans->list[low - 1];
	return low < spans->n && spans->list[low].tid == tid ? &spans->list[low] : NULL;
}

/* Keeps about half of the samples, and takes one in two of those that come. */
static void
halve(struct importer *importer)
{
	size_t kept = 0;
	for (size_t i = 0; i < importer->n; i++)
		if (fg_chance(&importer->chance) & 1)
			importer->found[kept++] = importer->found[i];
	importer->n = kept;
	importer->halved++;
}

static void
take(struct importer *importer, const struct perf_sample *sample, const struct span *span)
{
	if (fg_chance(&importer->chance) & ((UINT64_C(1) << importer->halved) - 1))
		return;
	if (importer->n == SAMPLES_MOST)
		halve(importer);
	if (importer->n == importer->room)
		importer->found =
			fg_room_more(importer->found, importer->n, &importer->room, 1024, sizeof *importer->found);
	importer->found[importer->n++] =
		(struct found){sample->address, (uint32_t)(span - importer->spans.list),
			       sample->period < UNITS_MOST ? (uint32_t)sample->period : UNITS_MOST, sample->writes};
}

/* Arm's SPE makes a sample of an access for each level of the memory that it went through. Only one counts. */
static bool
is_again(const struct perf_sample *last, const struct perf_sample *sample)
{
	return last->tid == sample->tid && last->time == sample->time && last->address == sample->address;
}

static void
look_up(struct importer *importer, struct pin_perf *perf, const struct perf_sample *sample)
{
	if ((!sample->loads && !sample->writes) || is_again(&importer->last, sample))
		return;
	importer->last = *sample;
	perf->read++;
	const struct span *span = span_at(&importer->spans, sample->tid, sample->time);
	bool of_run = sample->time >= importer->from && sample->time <= importer->to;
	importer->of_thread += span != NULL;
	importer->of_run += span && of_run;
	if (!span || sample->time < span->from || sample->time >= span->to)
		return;
	perf->used++;
	take(importer, sample, span);
}

static void
read_text(FILE *file, struct importer *importer, struct pin_perf *perf)
{
	char line[PERF_LINE];
	while (!importer->is_data && perf_line_next(file, line, &importer->cut)) {
		struct perf_sample sample;
		importer->is_data = !importer->lines++ && strncmp(line, "PERFILE2", 8) == 0;
		if (importer->cut)
			continue;
		enum perf_field missing = perf_sample_read(line, &sample);
		importer->most = missing > importer->most ? missing : importer->most;
		if (missing == PERF_WHOLE)
			look_up(importer, perf, &sample);
	}
}

/* Returns 0, or an exit status after a message. */
static int
judge(const struct importer *importer, const struct pin_perf *perf)
{
	const char *path = perf->path, *trace = perf->trace;
	if (importer->is_data)
		return complain("pin", "%s is what perf has recorded, not its text: %s -i %s > perf.txt", path,
				PERF_COMMAND, path);
	if (importer->most == PERF_TIME)
		return complain("pin", "%s %s: %s > perf.txt makes it", path,
				importer->lines ? "is no text of `perf script`" : "is empty", PERF_COMMAND);
	if (importer->most != PERF_WHOLE)
		return complain("pin", "the lines of %s lack the field %s: %s > perf.txt makes all", path,
				perf_field_name(importer->most), PERF_COMMAND);
	if (importer->cut)
		complain("pin", "%s ends in the midst of a line: what stands before that line counts", path);
	if (!perf->read)
		complain("pin", "%s tells no load and no store: perf mem record samples them", path);
	else if (!importer->of_thread)
		complain("pin", "%s is of another run than %s: no sample is of a thread of that run", path, trace);
	else if (!importer->of_run)
		complain("pin",
			 "%s is of another run than %s, or of another clock (perf mem record -k CLOCK_MONOTONIC): no "
			 "sample lies in the time of that run",
			 path, trace);
	else if (!perf->used)
		complain("pin", "%s has no sample within the regions of %s", path, trace);
	return perf->used ? 0 : 1;
}

static bool
is_of_recorder(const struct fg_trace_record *record)
{
	return record->event == FG_EVENT_use || record->event == FG_EVENT_touch || record->event == FG_EVENT_touched;
}

static void
tell(const struct importer *importer, struct fg_trace *trace)
{
	size_t n = 0;
	for (size_t i = 0; i < trace->n_items; i++)
		if (!is_of_recorder(&trace->items[i].record))
			trace->items[n++] = trace->items[i];
	trace->items = fg_trace_more(trace->items, n + importer->n, sizeof *trace->items);
	for (size_t i = 0; i < importer->n; i++) {
		const struct found *found = &importer->found[i];
		const struct span *span = &importer->spans.list[found->span];
		uint64_t units = (uint64_t)found->units << importer->halved;
		uint32_t how = FG_TRACE_USE_SAMPLED | (found->writes ? FG_TRACE_USE_WRITES : 0);
		trace->items[n++] = (struct fg_trace_item){
			.record = {.time = span->from,
				   .event = FG_EVENT_use,
				   .bubble = span->bubble,
				   .member = span->member,
				   .a = how + FG_TRACE_USE_ONE * (uint32_t)(units < UNITS_MOST ? units : UNITS_MOST),
				   .b = found->address}};
	}
	trace->n_items = n;
}

int
pin_perf_add(struct pin_perf *perf, struct fg_trace *trace, const struct fg_story *story)
{
	struct importer importer = {.from = story->from, .to = story->to};
	FILE *file = fopen(perf->path, "r");
	if (!file)
		return complain("pin", "cannot read %s: %s", perf->path, strerror(errno));
	size_t n;
	struct carrying *carriers = find_carriers(trace, &n);
	find_spans(story, carriers, n, &importer.spans);
	int status = 0;
	if (!n) {
		complain("pin",
			 "%s does not tell kernel threads: it is of a simulated run, or of an older version, so record "
			 "it again with perf",
			 perf->trace);
		status = 1;
	}
	if (!status)
		read_text(file, &importer, perf);
	if (!status && ferror(file))
		status = complain("pin", "cannot read %s: %s", perf->path, strerror(errno));
	if (!status)
		status = judge(&importer, perf);
	if (!status)
		tell(&importer, trace);
	fclose(file);
	free(carriers);
	free(importer.spans.list);
	free(importer.found);
	return status;
}
