/* Where the members of nested teams would sit: a score of such teams is played on the simulated machine, and its trace
 * tells where each member worked longest (sit.h). The simulated machine binds nothing. So where OpenMP has given a
 * member a place, the player tells that, and the place decides. */
#include "sit.h"
#include "command.h"
#include "draw/score.h"
#include "replay.h"
#include "sim.h"
#include "sim_child.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORK 200000 /* ns of each member, far longer than it takes to begin a team */

static void
step_add(struct fg_score_line *line, enum fg_score_kind kind, uint64_t number)
{
	line->steps[line->n++] = (struct fg_score_step){.kind = kind, .number = number};
}

static void
line_new(struct fg_score *score)
{
	struct fg_score_line *line = &score->strands[score->n_strands++];
	line->steps = fg_trace_memory(2, sizeof *line->steps);
}

/* Adds the team that the strand `above` meets, and all teams in it. A member that meets a team has no other work. */
static void
team_add(struct fg_score *score, const struct sit_request *request, unsigned depth, size_t above)
{
	uint32_t size = request->sizes[depth], first = (uint32_t)score->n_members;
	step_add(&score->strands[above], FG_SCORE_REGION, score->n_regions);
	score->regions[score->n_regions++] =
		(struct fg_score_region){.members = size, .first_member = first, .site = depth};
	score->n_members += size;
	for (uint32_t i = 0; i < size; i++) {
		size_t strand = score->n_strands;
		line_new(score);
		score->members[first + i] = (struct fg_score_member){.strand = (uint32_t)strand};
		if (depth + 1 < request->depth)
			team_add(score, request, depth + 1, strand);
		else
			step_add(&score->strands[strand], FG_SCORE_WORK, WORK);
	}
}

static bool
score_write(const struct sit_request *request, unsigned members, int file)
{
	struct fg_score score = {
		.strands = fg_trace_memory(members + 1, sizeof *score.strands),
		.regions = fg_trace_memory(members + 1, sizeof *score.regions),
		.members = fg_trace_memory(members + 1, sizeof *score.members),
	};
	line_new(&score);
	team_add(&score, request, 0, 0);
	bool done = fg_score_write(&score, file);
	for (size_t i = 0; i < score.n_strands; i++)
		free(score.strands[i].steps);
	free(score.strands);
	free(score.regions);
	free(score.members);
	return done;
}

static int
play(const struct sit_request *request, const char *score, const char *trace, const char *places)
{
	const char *library = find_library();
	char *player;
	struct sim_outcome outcome;
	int status = 0;
	if (!library ||
	    asprintf(&player, "%.*s/simulated/forestgomp-player", (int)(strrchr(library, '/') - library), library) < 0)
		return complain("topo",
				"libgomp.so.1 of ForestGOMP is not where it was built or installed; run `make`");
	player_environment(true);
	char *name = trace_name_of(trace);
	if (name)
		setenv("FGOMP_TRACE", name, 1);
	free(name);
	if (request->places)
		setenv("OMP_PLACES", request->places, 1);
	if (request->bind)
		setenv("OMP_PROC_BIND", request->bind, 1);
	struct sim_call call = {.machine = request->machine, .sched = request->sched, .seed = request->seed};
	call.given = true;
	call.output = SIM_TO_STDERR;
	call.program = (char *[]){player, (char *)score, (char *)places, NULL};
	if (sim_run(&call, &outcome, &status)) {
		if (!outcome.complete)
			status = sim_no_report(&call, &outcome);
		else
			status = outcome.status;
		sim_outcome_free(&outcome);
	}
	free(player);
	return status;
}

static unsigned
name_member(const struct fg_story *story, uint32_t bubble, uint32_t member, struct sit_member *own)
{
	uint32_t parent = story->bubbles[bubble].parent;
	size_t used;
	if (parent == FG_NOBODY)
		own->outermost = member;
	unsigned depth =
		parent == FG_NOBODY ? 0 : name_member(story, parent, story->bubbles[bubble].parent_member, own);
	used = strlen(own->name);
	snprintf(own->name + used, sizeof own->name - used, depth ? ".%u" : "%u", member);
	return depth + 1;
}

/* A member that only met a team is where it began. Others are where they worked longest. */
static unsigned
read_members(const struct fg_story *story, struct sit_member *list, unsigned room)
{
	uint64_t *longest = fg_trace_memory(story->n_threads, sizeof *longest);
	unsigned *pu = fg_trace_memory(story->n_threads, sizeof *pu), n = 0;
	for (size_t i = 0; i < story->n_slices; i++) {
		const struct fg_story_slice *slice = &story->slices[i];
		if (slice->doing == FG_RUNS && slice->to - slice->from > longest[slice->thread]) {
			longest[slice->thread] = slice->to - slice->from;
			pu[slice->thread] = slice->pu;
		}
	}
	for (size_t i = 0; i < story->n_threads && n < room; i++) {
		if (!longest[i])
			continue;
		list[n] = (struct sit_member){.pu = pu[i]};
		list[n].depth = name_member(story, story->threads[i].bubble, story->threads[i].member, &list[n]);
		n++;
	}
	free(longest);
	free(pu);
	return n;
}

/* A member stays where it was seen if that is in its place; else the members of a place go round its PUs. */
static void
bind_member(struct sit_member *list, unsigned n, char *line)
{
	unsigned cpus[256], n_cpus = 0, last;
	char *saved, *name = strtok_r(line, " \n", &saved);
	for (char *word; n_cpus < 256 && (word = strtok_r(NULL, " \n", &saved));)
		cpus[n_cpus++] = (unsigned)strtoul(word, NULL, 10);
	for (unsigned i = 0; name && n_cpus && i < n; i++) {
		if (strcmp(list[i].name, name) != 0)
			continue;
		bool inside = false;
		for (unsigned k = 0; k < n_cpus; k++)
			inside |= cpus[k] == list[i].pu;
		last = (unsigned)strtoul(strrchr(name, '.') ? strrchr(name, '.') + 1 : name, NULL, 10);
		if (!inside)
			list[i].pu = cpus[last % n_cpus];
	}
}

static void
read_places(const char *path, struct sit_member *list, unsigned n)
{
	char line[4096];
	FILE *file = fopen(path, "r");
	while (file && fgets(line, sizeof line, file))
		bind_member(list, n, line);
	if (file)
		fclose(file);
}

static unsigned
members_of(const struct sit_request *request)
{
	unsigned long all = 0, team = 1;
	for (unsigned i = 0; i < request->depth; i++) {
		team *= request->sizes[i];
		all += team;
		if (all > SIT_MEMBERS)
			return 0;
	}
	return (unsigned)all;
}

static int
with_files(const struct sit_request *request, const char *score, int file, const char *trace, struct sit_member **list,
	   unsigned *n)
{
	char why[200];
	unsigned members = members_of(request);
	if (!score_write(request, members, file)) {
		complain("topo", "cannot write '%s': %s", score, strerror(errno));
		return 1;
	}
	char places[4200];
	snprintf(places, sizeof places, "%s.places", score);
	int status = play(request, score, trace, places);
	struct fg_trace *read = status ? NULL : fg_trace_read(trace, why, sizeof why);
	if (!read) {
		unlink(places);
		if (!status)
			complain("topo", "the run of these teams left no trace: '%s' %s", trace, why);
		return status ? status : 1;
	}
	struct fg_story *story = fg_story_tell(read);
	*list = fg_trace_memory(members, sizeof **list);
	*n = read_members(story, *list, members);
	read_places(places, *list, *n);
	unlink(places);
	fg_story_free(story);
	fg_trace_free(read);
	return 0;
}

int
sit_find(const struct sit_request *request, struct sit_member **list, unsigned *n)
{
	const char *folder = getenv("TMPDIR");
	char score[4096], trace[4200];
	if (!members_of(request))
		return complain("topo", "-n: more than %d members of all teams", SIT_MEMBERS);
	snprintf(score, sizeof score, "%s/forestgomp-teams-XXXXXX", folder && *folder ? folder : "/tmp");
	sim_interrupts_catch(); /* a signal must not leave the files behind */
	int file = mkstemp(score);
	if (file < 0) {
		complain("topo", "cannot write '%s': %s", score, strerror(errno));
		return 1;
	}
	snprintf(trace, sizeof trace, "%s.fgt", score);
	int status = with_files(request, score, file, trace, list, n);
	close(file);
	unlink(score);
	unlink(trace);
	sim_interrupts_end();
	return status;
}

bool
sit_machine_text(const struct fg_machine *machine, char *text, size_t size)
{
	struct fg_trace trace = {.n_levels = machine->n_levels, .n_pus = machine->n_pus};
	trace.levels = fg_trace_memory(trace.n_levels, sizeof *trace.levels);
	for (unsigned i = 0; i < machine->n_levels; i++) {
		const struct fg_level *level = machine->levels[i];
		trace.levels[i] = (struct fg_trace_level){.kind = level->kind,
							  .kinds = level->kinds,
							  .depth = level->depth,
							  .first_pu = level->first_pu,
							  .n_pus = level->n_pus};
	}
	bool regular = replay_machine(&trace, text, size);
	free(trace.levels);
	return regular;
}
