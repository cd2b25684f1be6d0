/* The report of `forestgomp replay`. */
#include "replay.h"
#include "command.h"
#include <inttypes.h>

struct loss {
	const char *name, *text;
	uint64_t n;
};

#define LOSSES 15

static unsigned
losses_list(const struct replay *replay, struct loss *list)
{
	const struct fg_score_losses *losses = &replay->score->losses;
	const struct loss all[LOSSES] = {
		{"events_lost", "events are missing in the file: it did not keep the oldest",
		 replay->trace->lost + replay->trace->head.dropped},
		{"regions_of_other_threads", "regions of other threads of the program, at the same time: left out",
		 losses->other_roots},
		{"regions_broken", "regions that the trace tells only in part: left out", losses->broken},
		{"regions_deep", "regions that lie too deep in others: left out", losses->deep},
		{"teams_uneven",
		 "teams whose members met different numbers of barriers: the others meet more at the end",
		 losses->uneven},
		{"tasks_unmade", "tasks of which no event tells their maker: computing of the thread that ran them",
		 losses->tasks_unmade},
		{"tasks_with_depend", "tasks with dependences: replayed without those", losses->follows},
		{"threads_blocked", "times that a thread was blocked in the kernel: what it did then is not known",
		 losses->relieved},
		{"members_bound", "seats by OMP_PROC_BIND and OMP_PLACES: the policy places the members instead",
		 losses->places},
		{"touches_lost", "touches of data that the trace tells only in part", losses->touches},
		{"memory_hints", "hints of memory: not replayed", losses->areas},
		{"kernel_teams", "teams of kernel threads: replayed with user-level threads", losses->kernel_threads},
		{"call_sites", "regions of the program share the history of others", losses->sites},
	};
	unsigned n = 0;
	for (unsigned i = 0; i < LOSSES; i++)
		if (all[i].n)
			list[n++] = all[i];
	return n;
}

/* None of nothing. */
static double
share_of(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* A run of touches only computes nothing, so nothing of it is left out. */
static double
share_replayed(const struct replay *replay)
{
	uint64_t in = replay->score->computing, out = replay->score->losses.computing;
	return out ? share_of(in, in + out) : 1;
}

static double
error_of(const struct replay *replay)
{
	return (double)replay->own.time / (double)replay->recorded - 1;
}

/* By how much the replays of one policy differ from their median, at most. */
static double
spread_of(const struct replay_run *run)
{
	uint64_t up = run->most - run->time, down = run->time - run->least;
	return (double)(up > down ? up : down) / (double)run->time;
}

/* Differences below this share say nothing. < 0: not known. */
static double
doubt(const struct replay *replay)
{
	if (!replay->own.time)
		return -1;
	double error = error_of(replay), spread = spread_of(&replay->own);
	error = error < 0 ? -error : error;
	return (error > spread ? error : spread) + 1 - share_replayed(replay);
}

/* By how much a run takes longer than the recorded one. Both are replays, if that is possible. */
static double
change(const struct replay *replay, const struct replay_run *run)
{
	return (double)run->time / (double)(replay->own.time ? replay->own.time : replay->recorded) - 1;
}

/* The time of the replays, changed by what they miss of the recorded run, such as the runtime's instructions. If the
 * recorded time lies between those of its replays, they miss nothing: it is one order of events of many. */
static double
predicted(const struct replay *replay, const struct replay_run *run)
{
	const struct replay_run *own = &replay->own;
	uint64_t nearest = replay->recorded < own->least ? own->least : own->most;
	bool is_between = replay->recorded >= own->least && replay->recorded <= own->most;
	if (!own->time || is_between)
		return (double)run->time;
	return (double)replay->recorded * (double)run->time / (double)nearest;
}

static void
print_trust(const struct replay *replay)
{
	struct loss losses[LOSSES];
	char text[32];
	const struct fg_score *score = replay->score;
	unsigned n = losses_list(replay, losses);
	if (replay->own.time)
		printf("replayed there  %s (%+.1f%%), by the order of events up to %.1f%% more or less\n",
		       sim_time_text(replay->own.time, text, sizeof text), 100 * error_of(replay),
		       100 * spread_of(&replay->own));
	else
		printf("replayed there  not possible: %s; so nothing is known of the error\n", replay->why);
	printf("computing       %.1f%% of %s is replayed, %.1f%% of that outside of regions\n",
	       100 * share_replayed(replay),
	       sim_time_text(score->computing + score->losses.computing, text, sizeof text),
	       100 * share_of(score->serial, score->computing));
	if (replay->own.time)
		printf("trust           differences below %.1f%% say nothing%s\n", 100 * doubt(replay),
		       doubt(replay) > 0.05 ? ": this replay is poor" : "");
	if (replay->tells_memory)
		printf("memory          %.1f%% of the members' time went to data: %" PRIu64 " touches are replayed\n",
		       100 * share_of(score->memory, score->computing + score->memory), score->touches);
	printf("not in a trace  ");
	if (!replay->tells_memory)
		printf("memory and caches (%.1f%% of the computing was on another NUMA node than its begin),\n"
		       "                ",
		       100 * share_of(score->moved, score->computing));
	printf("locks, iterations of dynamic loops: they stay with the member that ran them\n");
	for (unsigned i = 0; i < n; i++)
		printf("%-15s %" PRIu64 " %s\n", i ? "" : "left out", losses[i].n, losses[i].text);
	if (replay->trace->note[0])
		printf("the file        %s\n", replay->trace->note);
}

void
replay_print_text(const struct replay *replay)
{
	char text[32], other[32];
	const struct fg_score *score = replay->score;
	printf("%s%s%s: %" PRIu64 " regions, %" PRIu64 " barriers of members, %" PRIu64 " tasks of %s\n", bold,
	       replay->file, plain, score->n_met, score->n_barriers, score->n_tasks,
	       replay->command[0] ? replay->command : "a program that is not known");
	printf("recorded        %s%s%s, %s, on %u PUs of %s\n", bold,
	       sim_time_text(replay->recorded, text, sizeof text), plain,
	       replay->sched[0] ? replay->sched : "policy not known", replay->trace->n_pus,
	       replay->simulated ? "a simulated machine" : "a machine");
	print_trust(replay);
	if (!replay->n_runs)
		return;
	printf("\n%s%s%s: %u PUs%s\n", bold, replay->model.name, plain, replay->model.machine->n_pus,
	       replay->model.estimated ? " (what lines cost is estimated)" : "");
	printf("%-16s %12s %12s %9s %9s\n", "policy", "replayed", "predicted", "change", "+-");
	for (unsigned i = 0; i < replay->n_runs; i++) {
		double time = predicted(replay, &replay->runs[i]);
		char policy[64];
		snprintf(policy, sizeof policy, "%.50s%s", replay->runs[i].sched,
			 replay->runs[i].pinned ? ", pinned" : "");
		printf("%-16s %12s %12s %+8.1f%% %8.1f%%\n", policy,
		       sim_time_text(replay->runs[i].time, text, sizeof text),
		       sim_time_text((uint64_t)time, other, sizeof other), 100 * change(replay, &replay->runs[i]),
		       100 * spread_of(&replay->runs[i]));
	}
}

static void
print_string(const char *name, const char *value)
{
	printf("\"%s\": ", name);
	fg_json_string(stdout, value);
	printf(", ");
}

void
replay_print_json(const struct replay *replay)
{
	struct loss losses[LOSSES];
	const struct fg_score *score = replay->score;
	unsigned n = losses_list(replay, losses);
	printf("{");
	print_string("trace", replay->file);
	print_string("command", replay->command);
	print_string("note", replay->trace->note);
	print_string("recorded_policy", replay->sched);
	printf("\"recorded_pus\": %u, \"simulated\": %s, \"recorded_ns\": %" PRIu64 ", ", replay->trace->n_pus,
	       replay->simulated ? "true" : "false", replay->recorded);
	printf("\"regions\": %" PRIu64 ", \"barriers\": %" PRIu64 ", \"tasks\": %" PRIu64 ", \"computing_ns\": %" PRIu64
	       ", \"serial_ns\": %" PRIu64 ", \"moved_ns\": %" PRIu64 ", \"replayed_share\": %.6f, ",
	       score->n_met, score->n_barriers, score->n_tasks, score->computing + score->losses.computing,
	       score->serial, score->moved, share_replayed(replay));
	printf("\"memory_told\": %s, \"memory_ns\": %" PRIu64 ", \"touches\": %" PRIu64 ", ",
	       replay->tells_memory ? "true" : "false", score->memory, score->touches);
	if (replay->cannot_tell[0])
		print_string("cannot_tell", replay->cannot_tell);
	if (replay->own.time)
		printf("\"calibration_ns\": %" PRIu64 ", \"calibration_least_ns\": %" PRIu64
		       ", \"calibration_most_ns\": %" PRIu64 ", \"error\": %.6f, \"doubt\": %.6f, ",
		       replay->own.time, replay->own.least, replay->own.most, error_of(replay), doubt(replay));
	else {
		printf("\"calibration_ns\": null, \"error\": null, \"doubt\": null, ");
		print_string("no_calibration", replay->cannot_tell[0] ? replay->cannot_tell : replay->why);
	}
	printf("\"left_out\": {");
	for (unsigned i = 0; i < n; i++)
		printf("%s\"%s\": %" PRIu64, i ? ", " : "", losses[i].name, losses[i].n);
	printf("}, ");
	print_string("machine", replay->model.name);
	printf("\"pus\": %u, \"runs\": [", replay->model.machine->n_pus);
	for (unsigned i = 0; !replay->cannot_tell[0] && i < replay->n_runs; i++) {
		printf("%s\n  {", i ? "," : "");
		print_string("policy", replay->runs[i].sched);
		printf("\"pinned\": %s, ", replay->runs[i].pinned ? "true" : "false");
		printf("\"replayed_ns\": %" PRIu64 ", \"least_ns\": %" PRIu64 ", \"most_ns\": %" PRIu64
		       ", \"predicted_ns\": %.0f}",
		       replay->runs[i].time, replay->runs[i].least, replay->runs[i].most,
		       predicted(replay, &replay->runs[i]));
	}
	printf("]}\n");
}
