/* `forestgomp sim --stats`: the table of regions, from a trace that is removed at the end. */
#include "sim.h"
#include "command.h"
#include "draw/table.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[4000], path[4096];

const char *
sim_stats_begin(void)
{
	const char *temporary = getenv("TMPDIR");
	snprintf(folder, sizeof folder, "%s/forestgomp-XXXXXX", temporary && *temporary ? temporary : "/tmp");
	if (!mkdtemp(folder)) {
		complain("sim", "--stats: cannot make a folder '%s': %s", folder, strerror(errno));
		folder[0] = '\0';
		return NULL;
	}
	snprintf(path, sizeof path, "%s/trace", folder);
	return path;
}

void
sim_stats_print(const char *trace, bool json)
{
	char why[200];
	struct fg_trace *read = NULL;
	if (access(trace, F_OK) != 0)
		complain("sim", "--stats: no parallel region was met");
	else if (!(read = fg_trace_read(trace, why, sizeof why)))
		complain("sim", "--stats: the trace '%s' %s", trace, why);
	if (!read)
		return;
	struct fg_story *story = fg_story_tell(read);
	struct fg_summary summary = fg_summary_of_story(story, 0);
	if (json)
		fg_table_json(&summary, 0, stderr);
	else {
		choose_colours(STDERR_FILENO);
		fg_table_print(&summary, &(struct fg_table_style){bold, dim, plain, columns_of(STDERR_FILENO), 0},
			       stderr);
		choose_colours(STDOUT_FILENO);
	}
	fg_summary_free(&summary);
	fg_story_free(story);
	fg_trace_free(read);
}

void
sim_stats_end(void)
{
	if (!folder[0])
		return;
	unlink(path);
	rmdir(folder);
	folder[0] = '\0';
}
