/* The table of regions (floor: draw): see table.h. */
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

static unsigned
width_of_names(const struct fg_story *story)
{
	size_t width = 6;
	for (size_t i = 0; i < story->n_regions; i++)
		width = strlen(story->regions[i].label) > width ? strlen(story->regions[i].label) : width;
	return width > 40 ? 40 : (unsigned)width;
}

static void
threads_text(const struct fg_story_region *region, char *text, size_t size)
{
	if (region->fewest == region->most)
		snprintf(text, size, "%" PRIu32, region->most);
	else
		snprintf(text, size, "%" PRIu32 "-%" PRIu32, region->fewest, region->most);
}

static void
print_row(const struct fg_story_region *region, unsigned width, FILE *file)
{
	char threads[32], total[16], mean[16];
	threads_text(region, threads, sizeof threads);
	fprintf(file,
		"%-*.*s %9" PRIu64 " %8s %9s %9s %8.1f%% %8.1f%% %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 "\n",
		(int)width, (int)width, region->label, region->calls, threads,
		time_text((double)region->time, total, sizeof total),
		time_text((double)region->time / (double)region->calls, mean, sizeof mean),
		100 * fg_story_imbalance(region),
		region->work + region->waited ? 100 * (double)region->waited / (double)(region->work + region->waited)
					      : 0,
		region->steals, region->migrations, region->preemptions, region->tasks);
}

static void
print_decisions(const struct fg_story *story, FILE *file, const char *bold, const char *plain)
{
	struct fg_decisions *list;
	size_t n = fg_decisions_count(story->trace, &list);
	if (n)
		fprintf(file, "\n%s%9s %-10s %-8s %-12s %s%s\n", bold, "decisions", "policy", "function", "event",
			"reason", plain);
	for (size_t i = 0; i < n; i++)
		fprintf(file, "%9" PRIu64 " %-10s %-8s %-12s %s\n", list[i].count, list[i].policy, list[i].decider,
			list[i].event, list[i].reason);
	free(list);
}

void
fg_table_print(const struct fg_story *story, FILE *file, const char *bold, const char *dim, const char *plain)
{
	unsigned width = width_of_names(story);
	char span[16], command[200];
	fg_trace_fact(story->trace, "command", command, sizeof command);
	fprintf(file, "%s%s%s: %zu regions met in %s, at %zu places\n", bold, command[0] ? command : "trace", plain,
		story->n_bubbles, time_text((double)(story->to - story->from), span, sizeof span), story->n_regions);
	if (story->trace->note[0])
		fprintf(file, "%sNote: %s%s\n", dim, story->trace->note, plain);
	if (story->trace->lost)
		fprintf(file,
			"%sNote: the oldest %" PRIu64
			" events were written over, the table has the last part of the run only "
			"(FGOMP_TRACE_SIZE)%s\n",
			dim, story->trace->lost, plain);
	fprintf(file, "%s%-*s %9s %8s %9s %9s %9s %9s %8s %8s %8s %8s%s\n", bold, (int)width, "region", "calls",
		"threads", "time", "mean", "imbalance", "waiting", "steals", "migrated", "preempt", "tasks", plain);
	for (size_t i = 0; i < story->n_regions; i++)
		if (story->regions[i].calls)
			print_row(&story->regions[i], width, file);
	print_decisions(story, file, bold, plain);
}

static void
json_decisions(const struct fg_story *story, FILE *file)
{
	struct fg_decisions *list;
	size_t n = fg_decisions_count(story->trace, &list);
	fprintf(file, ", \"decisions\": [");
	for (size_t i = 0; i < n; i++) {
		fprintf(file, "%s\n {\"policy\": ", i ? "," : "");
		fg_json_string(file, list[i].policy);
		fprintf(file, ", \"function\": \"%s\", \"event\": \"%s\", \"reason\": ", list[i].decider, list[i].event);
		fg_json_string(file, list[i].reason);
		fprintf(file, ", \"count\": %" PRIu64 "}", list[i].count);
	}
	fprintf(file, "%s]", n ? "\n" : "");
	free(list);
}

void
fg_table_json(const struct fg_story *story, FILE *file)
{
	char command[4096];
	fg_trace_fact(story->trace, "command", command, sizeof command);
	fprintf(file, "{\"command\": ");
	fg_json_string(file, command);
	fprintf(file,
		", \"time_ns\": %" PRIu64 ", \"regions_met\": %zu, \"events\": %zu, \"events_lost\": %" PRIu64
		", \"note\": ",
		story->to - story->from, story->n_bubbles, story->trace->n_items,
		story->trace->lost + story->trace->head.dropped);
	fg_json_string(file, story->trace->note);
	fprintf(file, ", \"regions\": [");
	bool first = true;
	for (size_t i = 0; i < story->n_regions; i++) {
		const struct fg_story_region *region = &story->regions[i];
		if (!region->calls)
			continue;
		fprintf(file, "%s\n {\"region\": ", first ? "" : ",");
		fg_json_string(file, region->label);
		fprintf(file, ", \"function\": ");
		fg_json_string(file, region->name);
		fprintf(file,
			", \"address\": \"0x%" PRIx64 "\", \"nested\": %s, \"calls\": %" PRIu64
			", \"threads_min\": %" PRIu32 ", \"threads_max\": %" PRIu32 ", \"time_ns\": %" PRIu64
			", \"shortest_ns\": %" PRIu64 ", \"longest_ns\": %" PRIu64 ", \"cpu_ns\": %" PRIu64
			", \"work_ns\": %" PRIu64 ", \"waited_ns\": %" PRIu64
			", \"imbalance\": %.4f, \"steals\": %" PRIu64 ", \"migrations\": %" PRIu64
			", \"suspensions\": %" PRIu64 ", \"preemptions\": %" PRIu64 ", \"tasks\": %" PRIu64 "}",
			region->function, region->nested ? "true" : "false", region->calls, region->fewest,
			region->most, region->time, region->shortest, region->longest, region->cpu, region->work,
			region->waited, fg_story_imbalance(region), region->steals, region->migrations,
			region->suspensions, region->preemptions, region->tasks);
		first = false;
	}
	fprintf(file, "%s]", first ? "" : "\n");
	json_decisions(story, file);
	fputs("}\n", file);
}
