/* `forestgomp trace`: shows a trace as a page, for Perfetto, or as a table. */
#include "command.h"
#include "base/options.h"
#include "draw/page.h"
#include "draw/table.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
	"Usage: forestgomp trace FILE [OPTIONS]\n\n"
	"Shows what `forestgomp run --trace FILE PROGRAM` wrote. Without an option: the table of regions.\n\n"
	"  -o, --output PAGE    a page for any browser, all in one file: time line, bubbles, runqueues step by step, table\n"
	"      --perfetto JSON  for ui.perfetto.dev or chrome://tracing\n"
	"      --json           the table as JSON\n"
	"      --top N          only the N regions that take longest\n"
	"      --from TIME      the page begins here, counted from the first event: 250us, 1.5ms, 2s\n"
	"      --to TIME        and ends here; default: as much as a browser can bear\n\n"
	"A FILE to write may be '-': standard output.\n";

struct call {
	const char *trace, *page, *perfetto;
	uint64_t from, to;
	unsigned top;
	bool json;
};

static int
take_time(const char *name, const char *value, uint64_t *ns)
{
	return fg_parse_time(value, ns)
		       ? 0
		       : complain("trace", "%s %s is no time; accepted: 250us, 1.5ms, 2s", name, value);
}

static int
take_word(int argc, char **argv, int *i, struct call *call)
{
	const char *missing = NULL, *value;
	if (strcmp(argv[*i], "--json") == 0)
		call->json = true;
	else if ((value = option_value(argc, argv, i, "output", 'o', &missing)))
		call->page = value;
	else if ((value = option_value(argc, argv, i, "perfetto", 0, &missing)))
		call->perfetto = value;
	else if ((value = option_value(argc, argv, i, "from", 0, &missing)))
		return take_time("--from", value, &call->from);
	else if ((value = option_value(argc, argv, i, "to", 0, &missing)))
		return take_time("--to", value, &call->to);
	else if ((value = option_value(argc, argv, i, "top", 0, &missing)))
		return take_top("trace", value, &call->top);
	else if (missing)
		return complain("trace", "%s needs a value", missing);
	else if (argv[*i][0] == '-' || call->trace)
		return complain("trace", "what is '%s'? `forestgomp trace --help` tells what can be said", argv[*i]);
	else
		call->trace = argv[*i];
	return 0;
}

static int
written(FILE *file, const char *path)
{
	bool failed = ferror(file);
	if ((file == stdout ? fflush(file) : fclose(file)) == 0 && !failed)
		return 0;
	complain("trace", "cannot write '%s': %s", path, strerror(errno));
	return 1;
}

static void
table(const struct fg_story *story, const struct call *call)
{
	struct fg_summary summary =
		story->trace->n_sums ? fg_summary_of_sums(story->trace, 0) : fg_summary_of_story(story, 0);
	if (call->json)
		fg_table_json(&summary, call->top, stdout);
	else
		fg_table_print(&summary,
			       &(struct fg_table_style){bold, dim, plain, columns_of(STDOUT_FILENO), call->top},
			       stdout);
	fg_summary_free(&summary);
}

static int
show(const struct fg_story *story, const struct call *call)
{
	int status = 0;
	if (call->page) {
		FILE *file = strcmp(call->page, "-") == 0 ? stdout : fopen(call->page, "w");
		if (file)
			fg_page_write(story, call->from, call->to, file);
		status |= file ? written(file, call->page) : 1;
		if (!file)
			complain("trace", "cannot write '%s': %s", call->page, strerror(errno));
	}
	if (call->perfetto) {
		FILE *file = strcmp(call->perfetto, "-") == 0 ? stdout : fopen(call->perfetto, "w");
		if (file)
			fg_perfetto_write(story, file);
		status |= file ? written(file, call->perfetto) : 1;
		if (!file)
			complain("trace", "cannot write '%s': %s", call->perfetto, strerror(errno));
	}
	if (call->json || (!call->page && !call->perfetto))
		table(story, call);
	return status;
}

int
command_trace(int argc, char **argv)
{
	struct call call = {0};
	char why[200];
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			fputs(help, stdout);
			return 0;
		}
		int status = take_word(argc, argv, &i, &call);
		if (status)
			return status;
	}
	if (!call.trace)
		return complain("trace", "which file? `forestgomp run --trace FILE PROGRAM` writes one");
	struct fg_trace *trace = fg_trace_read(call.trace, why, sizeof why);
	if (!trace) {
		complain("trace", "'%s' %s", call.trace, why);
		return 1;
	}
	if (!trace->n_items && !trace->n_sums && trace->cut) {
		complain("trace", "'%s' is cut short: it has no event", call.trace);
		fg_trace_free(trace);
		return 1;
	}
	if (trace->note[0] && (call.page || call.perfetto))
		complain("trace", "'%s': %s", call.trace, trace->note);
	struct fg_story *story = fg_story_tell(trace);
	int status = show(story, &call);
	fg_story_free(story);
	fg_trace_free(trace);
	return status;
}
