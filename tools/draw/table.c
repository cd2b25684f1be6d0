/* The table of regions (command): see table.h. */
#include "draw/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "draw/decisions.h"
#include "draw/json.h"

/* Writes a time like "12.3 us", and returns `text`. */
static char *
time_text(double ns, char *text, size_t size)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	unsigned unit = 0;
	while (ns >= 1000 && unit < 3) {
		ns /= 1000;
		unit++;
	}
	snprintf(text, size,
		 unit == 0  ? "%.0f %s"
		 : ns < 10  ? "%.2f %s"
		 : ns < 100 ? "%.1f %s"
			    : "%.0f %s",
		 ns, units[unit]);
	return text;
}

/* The columns of numbers. Those that may be left out are so where no region has any. */
enum {
	CALLS,
	THREADS,
	TIME,
	MEAN,
	SHARE,
	SPEEDUP,
	SAVES,
	IMBALANCE,
	WAITING,
	STEALS,
	MIGRATED,
	PREEMPT,
	TASKS,
	COLUMNS
};
static const struct {
	const char *name;
	int width;
	bool optional;
} columns[COLUMNS] = {{"calls", 9, false},   {"threads", 7, false},  {"time", 9, false},    {"mean", 9, false},
		      {"share", 6, false},   {"speed-up", 8, false}, {"saves", 9, false},   {"imbalance", 9, false},
		      {"waiting", 7, false}, {"steals", 8, true},    {"migrated", 8, true}, {"preempt", 8, true},
		      {"tasks", 9, true}};

struct layout {
	bool shown[COLUMNS];
	int name, place; /* widths; place 0: no place is known */
	size_t rows;
};

static const char *
place_text(const struct fg_story_region *region, char *text, size_t size)
{
	const char *slash = strrchr(region->file, '/');
	text[0] = '\0';
	if (region->line)
		snprintf(text, size, "%s:%u", slash ? slash + 1 : region->file, region->line);
	return text;
}

static struct layout
layout_of(const struct fg_summary *summary, const struct fg_table_style *style)
{
	struct layout layout = {.name = 6, .rows = summary->n_regions};
	char place[300];
	int numbers = 0;
	if (style->top && style->top < layout.rows)
		layout.rows = style->top;
	for (unsigned i = 0; i < COLUMNS; i++)
		layout.shown[i] = !columns[i].optional;
	for (size_t i = 0; i < layout.rows; i++) {
		const struct fg_story_region *region = &summary->regions[i];
		int name = (int)strlen(region->label), at = (int)strlen(place_text(region, place, sizeof place));
		layout.name = name > layout.name ? name : layout.name;
		layout.place = at > layout.place ? at : layout.place;
		layout.shown[STEALS] |= region->steals > 0;
		layout.shown[MIGRATED] |= region->migrations > 0;
		layout.shown[PREEMPT] |= region->preemptions > 0;
		layout.shown[TASKS] |= region->tasks > 0;
	}
	for (unsigned i = 0; i < COLUMNS; i++)
		numbers += layout.shown[i] ? columns[i].width + 1 : 0;
	int room = (int)style->columns - numbers - (layout.place ? layout.place + 1 : 0);
	if (style->columns && layout.name > room)
		layout.name = room > 16 ? room : 16;
	return layout;
}

/* A name that is too long loses its middle, because its ends tell more. */
static void
print_name(const char *name, int width, FILE *file)
{
	int length = (int)strlen(name), tail = (width - 2) / 2;
	if (length <= width)
		fprintf(file, "%-*s", width, name);
	else
		fprintf(file, "%.*s..%s", width - 2 - tail, name, name + length - tail);
}

static void
cell(const struct fg_story_region *region, unsigned column, uint64_t wall, char *text, size_t size)
{
	uint64_t saves = fg_summary_saves(region);
	switch (column) {
	case CALLS:
		snprintf(text, size, "%" PRIu64 "%s", region->calls, region->open ? "*" : "");
		break;
	case THREADS:
		if (region->fewest == region->most)
			snprintf(text, size, "%" PRIu32, region->most);
		else
			snprintf(text, size, "%" PRIu32 "-%" PRIu32, region->fewest, region->most);
		break;
	case TIME:
		time_text((double)region->time, text, size);
		break;
	case MEAN:
		time_text((double)region->time / (double)region->calls, text, size);
		break;
	case SHARE:
		snprintf(text, size, "%.1f%%", wall ? 100 * (double)region->time / (double)wall : 0);
		break;
	case SPEEDUP:
		snprintf(text, size, "%.2f", fg_summary_speedup(region));
		break;
	case SAVES:
		time_text((double)saves, text, size);
		break;
	case IMBALANCE:
		snprintf(text, size, "%.1f%%", 100 * fg_story_imbalance(region));
		break;
	case WAITING:
		snprintf(text, size, "%.1f%%", 100 * fg_summary_waiting(region));
		break;
	default:
		snprintf(text, size, "%" PRIu64,
			 column == STEALS     ? region->steals
			 : column == MIGRATED ? region->migrations
			 : column == PREEMPT  ? region->preemptions
					      : region->tasks);
	}
}

static void
print_rows(const struct fg_summary *summary, const struct fg_table_style *style, FILE *file)
{
	struct layout layout = layout_of(summary, style);
	char text[300];
	fprintf(file, "%s%-*s", style->bold, layout.name, "region");
	if (layout.place)
		fprintf(file, " %-*s", layout.place, "place");
	for (unsigned k = 0; k < COLUMNS; k++)
		if (layout.shown[k])
			fprintf(file, " %*s", columns[k].width, columns[k].name);
	fprintf(file, "%s\n", style->plain);
	for (size_t i = 0; i < layout.rows; i++) {
		const struct fg_story_region *region = &summary->regions[i];
		if (!region->calls)
			continue;
		print_name(region->label, layout.name, file);
		if (layout.place)
			fprintf(file, " %-*s", layout.place, place_text(region, text, sizeof text));
		for (unsigned k = 0; k < COLUMNS; k++) {
			cell(region, k, summary->wall, text, sizeof text);
			if (layout.shown[k])
				fprintf(file, " %*s", columns[k].width, text);
		}
		fputc('\n', file);
	}
	if (layout.rows < summary->n_regions)
		fprintf(file, "%sand %zu more regions (--top)%s\n", style->dim, summary->n_regions - layout.rows,
			style->plain);
}

static void
print_decisions(const struct fg_trace *trace, FILE *file, const char *bold, const char *plain)
{
	struct fg_decisions *list;
	size_t n = fg_decisions_count(trace, &list);
	if (n)
		fprintf(file, "\n%s%9s %-10s %-8s %-12s %s%s\n", bold, "decisions", "policy", "function", "event",
			"reason", plain);
	for (size_t i = 0; i < n; i++)
		fprintf(file, "%9" PRIu64 " %-10s %-8s %-12s %s\n", list[i].count, list[i].policy, list[i].decider,
			list[i].event, list[i].reason);
	free(list);
}

/* The first lines answer the first question: where did the time go? */
static void
print_head(const struct fg_summary *summary, const struct fg_table_style *style, FILE *file)
{
	const struct fg_trace *trace = summary->trace;
	char wall[16], outside[16], cpu[16], command[200];
	unsigned pus = trace->n_pus;
	fg_trace_fact(trace, "command", command, sizeof command);
	time_text((double)summary->wall, wall, sizeof wall);
	time_text((double)summary->outside, outside, sizeof outside);
	fprintf(file, "%s%s%s: %s on %u PU%s, %s of it (%.1f%%) outside of parallel regions", style->bold,
		command[0] ? command : "trace", style->plain, wall, pus, pus == 1 ? "" : "s", outside,
		summary->wall ? 100 * (double)summary->outside / (double)summary->wall : 0);
	if (summary->cpu && summary->wall)
		fprintf(file, "; CPU time %s: %.2f PUs", time_text((double)summary->cpu, cpu, sizeof cpu),
			(double)summary->cpu / (double)summary->wall);
	fprintf(file, "\n%" PRIu64 " region%s met, at %zu place%s\n", summary->met, summary->met == 1 ? "" : "s",
		summary->n_regions, summary->n_regions == 1 ? "" : "s");
}

static void
print_notes(const struct fg_summary *summary, const struct fg_table_style *style, FILE *file)
{
	const struct fg_trace *trace = summary->trace;
	if (trace->note[0])
		fprintf(file, "%sNote: %s%s\n", style->dim, trace->note, style->plain);
	if (!summary->own && trace->lost)
		fprintf(file,
			"%sNote: the oldest %" PRIu64
			" events were written over, because %s: the table has the last part of "
			"the run only%s\n",
			style->dim, trace->lost, trace->full ? "the disk was full" : "of FGOMP_TRACE_SIZE",
			style->plain);
	if (summary->open)
		fprintf(file, "%s* not all of its calls were left: what was not counts up to the end%s\n", style->dim,
			style->plain);
	if (summary->estimated)
		fprintf(file, "%sTimes of short regions are estimates: not each call was timed%s\n", style->dim,
			style->plain);
}

void
fg_table_print(const struct fg_summary *summary, const struct fg_table_style *style, FILE *file)
{
	print_head(summary, style, file);
	print_rows(summary, style, file);
	print_notes(summary, style, file);
	print_decisions(summary->trace, file, style->bold, style->plain);
}

static void
json_decisions(const struct fg_trace *trace, FILE *file)
{
	struct fg_decisions *list;
	size_t n = fg_decisions_count(trace, &list);
	fprintf(file, ", \"decisions\": [");
	for (size_t i = 0; i < n; i++) {
		fprintf(file, "%s\n {\"policy\": ", i ? "," : "");
		fg_json_string(file, list[i].policy);
		fprintf(file, ", \"function\": \"%s\", \"event\": \"%s\", \"reason\": ", list[i].decider,
			list[i].event);
		fg_json_string(file, list[i].reason);
		fprintf(file, ", \"count\": %" PRIu64 "}", list[i].count);
	}
	fprintf(file, "%s]", n ? "\n" : "");
	free(list);
}

static void
json_region(const struct fg_summary *summary, const struct fg_story_region *region, FILE *file)
{
	fprintf(file, "{\"region\": ");
	fg_json_string(file, region->label);
	fprintf(file, ", \"function\": ");
	fg_json_string(file, region->name);
	fprintf(file, ", \"file\": ");
	fg_json_string(file, region->file);
	fprintf(file,
		", \"line\": %u, \"address\": \"0x%" PRIx64 "\", \"nested\": %s, \"calls\": %" PRIu64
		", \"timed_calls\": %" PRIu64 ", \"open_calls\": %" PRIu64 ", \"threads_min\": %" PRIu32
		", \"threads_max\": %" PRIu32 ", \"time_ns\": %" PRIu64 ", \"share\": %.4f, \"speedup_at_most\": %.3f"
		", \"saves_ns\": %" PRIu64 ", \"shortest_ns\": %" PRIu64 ", \"longest_ns\": %" PRIu64
		", \"cpu_ns\": %" PRIu64 ", \"work_ns\": %" PRIu64 ", \"waited_ns\": %" PRIu64
		", \"imbalance\": %.4f, \"steals\": %" PRIu64 ", \"migrations\": %" PRIu64 ", \"suspensions\": %" PRIu64
		", \"preemptions\": %" PRIu64 ", \"tasks\": %" PRIu64 "}",
		region->line, region->function, region->nested ? "true" : "false", region->calls, region->timed,
		region->open, region->fewest, region->most, region->time,
		summary->wall ? (double)region->time / (double)summary->wall : 0, fg_summary_speedup(region),
		fg_summary_saves(region), region->shortest, region->longest, region->cpu, region->work, region->waited,
		fg_story_imbalance(region), region->steals, region->migrations, region->suspensions,
		region->preemptions, region->tasks);
}

void
fg_table_json(const struct fg_summary *summary, unsigned top, FILE *file)
{
	const struct fg_trace *trace = summary->trace;
	char command[4096];
	bool first = true;
	fg_trace_fact(trace, "command", command, sizeof command);
	fprintf(file, "{\"command\": ");
	fg_json_string(file, command);
	fprintf(file,
		", \"process\": %" PRIu32 ", \"complete\": %s, \"time_ns\": %" PRIu64 ", \"outside_ns\": %" PRIu64
		", \"cpu_ns\": %" PRIu64 ", \"pus\": %u, \"regions_met\": %" PRIu64 ", \"regions_open\": %" PRIu64
		", \"events\": %zu, \"events_lost\": %" PRIu64 ", \"note\": ",
		trace->head.pid, summary->complete ? "true" : "false", summary->wall, summary->outside, summary->cpu,
		trace->n_pus, summary->met, summary->open, trace->n_items, trace->lost + trace->head.dropped);
	fg_json_string(file, trace->note);
	fprintf(file, ", \"regions\": [");
	for (size_t i = 0; i < summary->n_regions && (!top || i < top); i++) {
		if (!summary->regions[i].calls)
			continue;
		fputs(first ? "\n " : ",\n ", file);
		json_region(summary, &summary->regions[i], file);
		first = false;
	}
	fprintf(file, "%s]", first ? "" : "\n");
	json_decisions(trace, file);
	fputs("}\n", file);
}
