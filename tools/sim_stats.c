/* `forestgomp sim --stats`: the table of regions, from traces that are removed at the end. */
#include "sim.h"
#include "command.h"
#include "draw/table.h"
#include "trace/path.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[4000], *name;

const char *
sim_stats_begin(void)
{
	const char *temporary = getenv("TMPDIR"), *why;
	snprintf(folder, sizeof folder, "%s/forestgomp-XXXXXX", temporary && *temporary ? temporary : "/tmp");
	if (!mkdtemp(folder)) {
		complain("sim", "--stats: cannot make a folder '%s': %s", folder, strerror(errno));
		folder[0] = '\0';
		return NULL;
	}
	if ((why = trace_no_room(folder))) {
		complain("sim", "--stats: cannot write in '%s': %s", folder, why);
		return NULL;
	}
	char *plain_name = trace_name_of(folder);
	if (!plain_name || asprintf(&name, "%s/trace%%n", plain_name) < 0)
		name = NULL;
	free(plain_name);
	return name;
}

/* False: there is no file with that number. */
static bool
find(const char *trace, unsigned number, char *path)
{
	bool numbered = false;
	return fg_trace_path(trace, number, path, FG_TRACE_PATH, &numbered) && (numbered || number == 1) &&
	       access(path, F_OK) == 0;
}

static void
print_one(const char *path, bool json)
{
	char why[200];
	struct fg_trace *read = fg_trace_read(path, why, sizeof why);
	if (!read) {
		complain("sim", "--stats: the trace '%s' %s", path, why);
		return;
	}
	struct fg_story *story = fg_story_tell(read);
	struct fg_summary summary = fg_summary_of_story(story, 0);
	if (json)
		fg_table_json(&summary, 0, stderr);
	else
		fg_table_print(&summary, &(struct fg_table_style){bold, dim, plain, columns_of(STDERR_FILENO), 0},
			       stderr);
	fg_summary_free(&summary);
	fg_story_free(story);
	fg_trace_free(read);
}

void
sim_stats_print(const char *trace, bool json)
{
	char path[FG_TRACE_PATH];
	bool several = find(trace, 2, path);
	if (!find(trace, 1, path))
		complain("sim", "--stats: no parallel region was met");
	choose_colours(STDERR_FILENO);
	if (json && several)
		fputs("[", stderr);
	for (unsigned number = 1; find(trace, number, path); number++) {
		if (number > 1)
			fputs(json ? ",\n" : "\n", stderr);
		print_one(path, json);
	}
	if (json && several)
		fputs("]\n", stderr);
	choose_colours(STDOUT_FILENO);
}

void
sim_stats_end(void)
{
	char path[FG_TRACE_PATH];
	for (unsigned number = 1; name && find(name, number, path); number++)
		unlink(path);
	if (folder[0])
		rmdir(folder);
	folder[0] = '\0';
}
