/* `forestgomp trace`: shows a trace as a page, for Perfetto, or as a table. */
#include "command.h"
#include "compressed.h"
#include "manual.h"
#include "base/options.h"
#include "draw/page.h"
#include "draw/table.h"
#include "platform/file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILES 1024 /* at most */

struct call {
	const char *files[FILES], *page, *perfetto, *from_text, *to_text;
	unsigned n_files;
	uint64_t from, to;
	unsigned top;
	bool json;
};

static int
take_time(const char *name, const char *value, const char **text, uint64_t *ns)
{
	*text = value;
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
		return take_time("--from", value, &call->from_text, &call->from);
	else if ((value = option_value(argc, argv, i, "to", 0, &missing)))
		return take_time("--to", value, &call->to_text, &call->to);
	else if ((value = option_value(argc, argv, i, "top", 0, &missing)))
		return take_top("trace", value, &call->top);
	else if (missing)
		return complain("trace", "%s needs a value", missing);
	else if (argv[*i][0] == '-')
		return manual_unknown(manual_of("trace"), argv[*i]);
	else if (call->n_files == FILES)
		return complain("trace", "more than %d files", FILES);
	else
		call->files[call->n_files++] = argv[*i];
	return 0;
}

/* The file is one of the traces that are read. */
static bool
is_input(const struct call *call, const char *path)
{
	for (unsigned i = 0; path && i < call->n_files; i++)
		if (same_file(call->files[i], path))
			return true;
	return false;
}

static int
check_call(const struct call *call)
{
	if (!call->n_files)
		return complain("trace", "which file? `forestgomp run --trace FILE PROGRAM` writes one");
	if ((call->from_text || call->to_text) && !call->page && !call->perfetto)
		return complain("trace",
				"%s is for -o PAGE and --perfetto FILE; the table is always of the whole trace",
				call->from_text ? "--from" : "--to");
	if (call->to_text && call->to <= call->from)
		return complain("trace", "--to %s is not after %s%s", call->to_text,
				call->from_text ? "--from " : "the begin", call->from_text ? call->from_text : "");
	const char *both = is_input(call, call->page)	    ? call->page
			   : is_input(call, call->perfetto) ? call->perfetto
							    : NULL;
	if (both)
		return complain("trace", "'%s' is the trace itself; give another name for what is written", both);
	if (call->page && call->perfetto &&
	    ((strcmp(call->page, call->perfetto) == 0 && !fg_file_is_special(call->page)) ||
	     same_file(call->page, call->perfetto)))
		return complain("trace", "'%s' cannot be the page and the file of Perfetto at once", call->page);
	return 0;
}

/* The window must have something of the job in it. */
static int
check_window(const struct call *call, const struct fg_job *job)
{
	if (!call->from_text || call->from <= job->span)
		return 0;
	return complain("trace", "--from %s is after the end: %s %.6g ms long", call->from_text,
			job->n > 1 ? "the job is" : "the trace is", (double)job->span / 1e6);
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
write_to(const char *path, const struct fg_job *job, const struct call *call,
	 void (*write)(const struct fg_job *job, uint64_t from, uint64_t to, FILE *file))
{
	if (!path)
		return 0;
	bool compressed = write == fg_perfetto_write && compressed_asked(path);
	FILE *file = strcmp(path, "-") == 0 ? stdout : compressed ? compressed_open(path) : fopen(path, "w");
	if (!file) {
		complain("trace", "cannot write '%s': %s", path,
			 errno == ENOSYS ? "this command was built without zlib" : strerror(errno));
		return 1;
	}
	write(job, call->from, call->to, file);
	return written(file, path);
}

static int
show(const struct fg_job *job, const struct call *call)
{
	int status = check_window(call, job);
	if (status)
		return status;
	status =
		write_to(call->page, job, call, fg_page_write) | write_to(call->perfetto, job, call, fg_perfetto_write);
	bool tables = call->json || (!call->page && !call->perfetto);
	if (call->json && job->n > 1)
		putchar('[');
	for (unsigned i = 0; tables && i < job->n; i++) {
		if (i)
			fputs(call->json ? "," : "\n", stdout);
		table(job->stories[i], call);
	}
	if (call->json && job->n > 1)
		fputs("]\n", stdout);
	return status;
}

static struct fg_story *
read_story(const char *path, const struct call *call)
{
	char why[200];
	struct fg_trace *trace = fg_trace_read(path, why, sizeof why);
	if (!trace) {
		complain("trace", "'%s' %s", path, why);
		return NULL;
	}
	if (!trace->n_items && !trace->n_sums && trace->cut) {
		complain("trace", "'%s' is cut short: it has no event", path);
		fg_trace_free(trace);
		return NULL;
	}
	if (trace->note[0] && (call->page || call->perfetto))
		complain("trace", "'%s': %s", path, trace->note);
	return fg_story_tell(trace);
}

/* Each process may be there once. Returns 0, or an exit status. */
static int
check_twice(const struct call *call, struct fg_story *const *stories)
{
	for (unsigned i = 0; i < call->n_files; i++)
		for (unsigned j = 0; j < i; j++)
			if (fg_job_are_one(stories[j], stories[i]))
				return complain("trace", "'%s' is the same run as '%s'; give each trace once",
						call->files[i], call->files[j]);
	return 0;
}

/* Where the axis of time is less than exact, one line says so. */
static void
tell_clock(const struct call *call, const struct fg_job *job)
{
	if (!call->page && !call->perfetto)
		return;
	if (job->clock == FG_JOB_WALL)
		complain("trace",
			 "'%s' and '%s' are of several machines, or of several boots of one, so wall clocks tell how "
			 "they lie in time",
			 call->files[0], call->files[job->odd]);
	if (job->clock == FG_JOB_NONE && job->n > 1)
		complain("trace", "'%s' is in virtual time, so all processes begin together", call->files[job->odd]);
}

int
command_trace(int argc, char **argv)
{
	static struct call call;
	static struct fg_story *stories[FILES];
	unsigned n = 0;
	for (int i = 1; i < argc; i++) {
		if (manual_asked(argv[i])) {
			manual_help(manual_of("trace"));
			return 0;
		}
		int status = take_word(argc, argv, &i, &call);
		if (status)
			return status;
	}
	int status = check_call(&call);
	if (status)
		return status;
	while (n < call.n_files && (stories[n] = read_story(call.files[n], &call)))
		n++;
	if (n < call.n_files)
		status = 1;
	else if ((status = check_twice(&call, stories)) == 0) {
		struct fg_job job = fg_job_of((const struct fg_story *const *)stories, n);
		tell_clock(&call, &job);
		status = show(&job, &call);
		fg_job_free(&job);
	}
	while (n--) {
		struct fg_trace *trace = (struct fg_trace *)stories[n]->trace;
		fg_story_free(stories[n]);
		fg_trace_free(trace);
	}
	return status;
}
