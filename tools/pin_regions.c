/* What regions took in a run, for `forestgomp pin`. A command may start several processes, such as a script does. Their
 * regions count together, because a region has the name of its program. The pin file puts all of these processes on the
 * same PUs, which is wrong for two that are there at the same time. */
#include "pin.h"
#include "command.h"
#include "draw/summary.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct process {
	uint64_t from, to;
	unsigned pid;
	bool *has; /* by size, up to FG_PIN_PUS: it has had teams of so many members */
};

struct run {
	double time[PIN_REGIONS];
	struct process *processes;
	size_t n;
};

/* The region of that name, or of that label where it has no name. NULL: there are too many. */
static struct pin_region *
region_of(struct pin *pin, const char *name, const char *label, unsigned size)
{
	unsigned r = 0;
	while (r < pin->n_regions &&
	       (strcmp(pin->region[r].name, name) != 0 || (!*name && strcmp(pin->region[r].label, label) != 0)))
		r++;
	if (r == PIN_REGIONS)
		return NULL;
	struct pin_region *region = &pin->region[r];
	if (r < pin->n_regions) {
		region->size = region->size == size ? size : 0;
		return region;
	}
	pin->n_regions++;
	region->size = size;
	snprintf(region->name, sizeof region->name, "%s", name);
	snprintf(region->label, sizeof region->label, "%s", label);
	return region;
}

static void
note(struct pin *pin, struct run *run, const struct fg_summary *summary, const struct fg_story_region *one)
{
	char name[FG_PIN_NAME];
	unsigned size = one->fewest == one->most ? one->most : 0;
	if (!one->calls || one->nested)
		return;
	pin_region_name(summary->trace, one->function, name);
	struct pin_region *region = region_of(pin, name, one->label, size);
	if (region)
		run->time[region - pin->region] += (double)one->time;
	if (run->n && size > 1 && size <= FG_PIN_PUS)
		run->processes[run->n - 1].has[size] = true;
}

/* Without memory the process is not compared with others. */
static void
add_process(struct run *run, const struct fg_trace *trace)
{
	struct process *processes = realloc(run->processes, (run->n + 1) * sizeof *processes);
	if (!processes)
		return;
	run->processes = processes;
	struct process *one = &processes[run->n];
	*one = (struct process){trace->head.start, trace->head.end ? trace->head.end : UINT64_MAX, trace->head.pid,
				calloc(FG_PIN_PUS + 1, sizeof *one->has)};
	run->n += one->has != NULL;
}

/* Of the first process that tells data. */
static void
read_sharing(struct pin *pin, const struct fg_story *story)
{
	unsigned size = pin->sharing.n ? 0 : pin_sharing_size(story, pin->tree->n_pus);
	if (size)
		pin_sharing_tell(story, size, &pin->sharing);
}

/* Of a live run: sums of a process; of a simulated one: a trace, and of the first run that tells data, what is
 * shared. */
static void
read_file(struct pin *pin, unsigned candidate, const char *path, struct run *run)
{
	char why[200];
	struct fg_trace *trace = fg_trace_read(path, why, sizeof why);
	unlink(path);
	if (!trace)
		return;
	struct fg_story *story = pin->machine ? fg_story_tell(trace) : NULL;
	struct fg_summary summary = story ? fg_summary_of_story(story, 0) : fg_summary_of_sums(trace, 0);
	add_process(run, trace);
	for (size_t i = 0; i < summary.n_regions; i++)
		note(pin, run, &summary, &summary.regions[i]);
	if (story && !candidate)
		read_sharing(pin, story);
	fg_summary_free(&summary);
	if (story)
		fg_story_free(story);
	fg_trace_free(trace);
}

/* A process that becomes another program leaves two files, and has one number. */
static void
compare(struct pin *pin, const struct process *a, const struct process *b)
{
	if (a->pid == b->pid || a->from >= b->to || b->from >= a->to)
		return;
	for (unsigned size = 2; size <= FG_PIN_PUS; size++)
		pin->at_once[size] |= a->has[size] && b->has[size];
}

static void
read_recording(struct pin *pin, unsigned candidate, const char *path, struct run *run)
{
	char why[200];
	struct fg_trace *trace = fg_trace_read(path, why, sizeof why);
	(void)candidate;
	(void)run;
	unlink(path);
	if (!trace)
		return;
	struct fg_story *story = fg_story_tell(trace);
	read_sharing(pin, story);
	fg_story_free(story);
	fg_trace_free(trace);
}

/* For each file of the folder whose name begins so. */
static void
each_file(struct pin *pin, const char *name, unsigned candidate, struct run *run,
	  void (*read)(struct pin *pin, unsigned candidate, const char *path, struct run *run))
{
	struct dirent **files = NULL;
	int n = scandir(pin->folder, &files, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char path[sizeof pin->folder + sizeof files[i]->d_name + 1];
		snprintf(path, sizeof path, "%s/%s", pin->folder, files[i]->d_name);
		if (strncmp(files[i]->d_name, name, strlen(name)) == 0)
			read(pin, candidate, path, run);
		free(files[i]);
	}
	free(files);
}

void
pin_recording_read(struct pin *pin)
{
	each_file(pin, PIN_RECORDING_FILE, 0, NULL, read_recording);
}

void
pin_regions_read(struct pin *pin, unsigned candidate)
{
	struct run run = {0};
	each_file(pin, PIN_REGIONS_FILE, candidate, &run, read_file);
	for (unsigned r = 0; r < pin->n_regions; r++) {
		double *least = &pin->region[r].time[candidate];
		if (run.time[r] > 0 && (*least <= 0 || run.time[r] < *least))
			*least = run.time[r];
	}
	for (size_t i = 0; i < run.n; i++)
		for (size_t k = 0; k < i; k++)
			compare(pin, &run.processes[i], &run.processes[k]);
	for (size_t i = 0; i < run.n; i++)
		free(run.processes[i].has);
	free(run.processes);
}

int
pin_regions_check(const struct pin *pin)
{
	if (!pin->threads || !pin->at_once[pin->threads])
		return 0;
	return complain(
		"pin",
		"two processes of the command have teams of %u threads at the same time, and would sit on the same "
		"PUs: pin each program by itself",
		pin->threads);
}
