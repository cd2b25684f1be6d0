/* The summary of a run (command): see summary.h. */
#include "draw/summary.h"
#include "draw/story_regions.h"

#include <stdlib.h>
#include <string.h>

#define LANES_MAX 65536

/* When the process ended, as far as the file or the caller knows; 0: neither does. */
static uint64_t
end_of(const struct fg_trace *trace, uint64_t ended)
{
	char carrier[16];
	if (trace->head.end || trace->seen_end)
		return trace->head.end ? trace->head.end : trace->seen_end;
	fg_trace_fact(trace, "carrier", carrier, sizeof carrier);
	return strcmp(carrier, "live") == 0 && ended > trace->head.start ? ended : 0;
}

static uint64_t
begin_of(const struct fg_trace *trace)
{
	return trace->head.loaded ? trace->head.loaded : trace->head.start;
}

static uint64_t
less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static void
count(struct fg_summary *summary)
{
	const struct fg_trace *trace = summary->trace;
	summary->complete = !trace->lost && !trace->head.dropped && !trace->cut && !trace->full;
	for (size_t i = 0; i < summary->n_regions; i++) {
		const struct fg_story_region *region = &summary->regions[i];
		summary->met += region->calls;
		summary->open += region->open;
		summary->estimated |= region->timed < region->calls;
	}
}

struct fg_summary
fg_summary_of_story(const struct fg_story *story, uint64_t ended)
{
	const struct fg_trace *trace = story->trace;
	struct fg_summary summary = {.trace = trace, .regions = story->regions, .n_regions = story->n_regions};
	uint64_t end = end_of(trace, ended), inside = 0, until = 0;
	for (size_t i = 0; i < story->n_bubbles; i++) {
		const struct fg_story_bubble *bubble = &story->bubbles[i];
		if (bubble->parent != FG_NOBODY || !bubble->meet)
			continue;
		uint64_t from = bubble->meet > until ? bubble->meet : until,
			 to = bubble->join ? bubble->join : story->to;
		inside += less(to, from);
		until = to > until ? to : until;
	}
	/* A trace that has lost its oldest events begins with the first that it has. */
	summary.wall = less(end ? end : story->to, trace->lost ? story->from : begin_of(trace));
	summary.outside = less(summary.wall, inside);
	count(&summary);
	return summary;
}

struct adder {
	const struct fg_trace *trace;
	struct fg_story_region *regions;
	struct known {
		double weight;	       /* calls for which the timed ones stand */
		double known, covered; /* as in the rows */
		double by_time;	       /* factor of times, once all rows are added */
	} *known;
	size_t n;
	uint64_t end;
	struct lane {
		uint64_t inside, guessed;    /* time in outermost regions, and the part of it that rests on estimates */
	} *in_lane;			     /* [worker] */
	const struct fg_trace_sum **members; /* of calls that are not left, ordered by their calls */
	size_t n_members;
	bool *told; /* the members have been added to their call */
};

static uint64_t
region_key(const void *item)
{
	return ((const struct fg_story_region *)item)->function;
}

static size_t
index_of(const struct adder *adder, uint64_t function)
{
	return fg_story_bisect(adder->regions, adder->n, sizeof *adder->regions, function, region_key);
}

static bool
is_sum(const struct fg_trace_sum *sum)
{
	return sum->kind == FG_SUM_ROW || sum->kind == FG_SUM_CALL || sum->kind == FG_SUM_MEMBER;
}

static void
regions_find(struct adder *adder)
{
	const struct fg_trace *trace = adder->trace;
	uint64_t *functions = fg_trace_memory(trace->n_sums, sizeof *functions);
	size_t n = 0;
	for (size_t i = 0; i < trace->n_sums; i++)
		if (is_sum(&trace->sums[i]))
			functions[n++] = trace->sums[i].function;
	qsort(functions, n, sizeof *functions, fg_story_by_key);
	adder->regions = fg_trace_memory(n, sizeof *adder->regions);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || functions[i] != functions[i - 1])
			adder->regions[adder->n++] = (struct fg_story_region){
				.function = functions[i], .shortest = UINT64_MAX, .fewest = UINT32_MAX};
	adder->known = fg_trace_memory(adder->n, sizeof *adder->known);
	free(functions);
}

static int
by_call(const void *a, const void *b)
{
	const struct fg_trace_sum *const *x = a, *const *y = b;
	return ((*x)->call > (*y)->call) - ((*x)->call < (*y)->call);
}

static uint64_t
call_of(const void *item)
{
	return (*(const struct fg_trace_sum *const *)item)->call;
}

static void
members_find(struct adder *adder)
{
	const struct fg_trace *trace = adder->trace;
	adder->members = fg_trace_memory(trace->n_sums, sizeof *adder->members);
	for (size_t i = 0; i < trace->n_sums; i++)
		if (trace->sums[i].kind == FG_SUM_MEMBER && !trace->sums[i].member.ended)
			adder->members[adder->n_members++] = &trace->sums[i];
	qsort(adder->members, adder->n_members, sizeof *adder->members, by_call);
	adder->told = fg_trace_memory(adder->n_members, sizeof *adder->told);
}

static struct lane *
lane_of(struct adder *adder, uint64_t lane)
{
	return &adder->in_lane[lane < LANES_MAX ? lane : 0];
}

/* The sums of workers may lie below zero. So they are added as they are, and judged at the end. */
static void
add_row(struct adder *adder, const struct fg_trace_sum *sum)
{
	size_t index = index_of(adder, sum->function);
	struct fg_story_region *region = &adder->regions[index];
	const struct fg_trace_row *row = &sum->row;
	region->calls += less(row->met, row->skip);
	region->timed += row->timed;
	adder->known[index].weight += (double)row->weight;
	adder->known[index].known += (double)row->known;
	adder->known[index].covered += (double)row->covered;
	region->time += row->time;
	region->outermost += row->outermost;
	region->shortest = row->shortest < region->shortest ? row->shortest : region->shortest;
	region->longest = row->longest > region->longest ? row->longest : region->longest;
	region->members += row->members;
	region->fewest = row->fewest < region->fewest ? row->fewest : region->fewest;
	region->most = row->most > region->most ? row->most : region->most;
	region->nested |= row->nested != 0;
	region->work += row->work;
	region->most_work += row->most_work;
	region->waited += row->waited;
	region->cpu += row->cpu;
	region->whole += row->whole;
	region->steals += row->steals;
	region->migrations += row->migrations;
	region->suspensions += row->suspensions;
	region->preemptions += row->preemptions;
	region->tasks += row->tasks;
}

static void
scale_all(uint64_t **all, size_t n, double factor)
{
	for (size_t i = 0; i < n; i++) {
		int64_t value = (int64_t)*all[i];
		*all[i] = value > 0 ? (uint64_t)((double)value * factor + 0.5) : 0;
	}
}

static void
scale_times(struct fg_story_region *region, double factor)
{
	uint64_t *times[] = {&region->time,   &region->outermost, &region->work, &region->most_work,
			     &region->waited, &region->cpu,	  &region->whole};
	scale_all(times, sizeof times / sizeof *times, factor);
}

/* The calls that were timed stand for the rest. */
static void
scale(struct adder *adder, size_t index)
{
	struct fg_story_region *region = &adder->regions[index];
	struct known *known = &adder->known[index];
	uint64_t *counts[] = {&region->members,	    &region->steals,	  &region->migrations,
			      &region->suspensions, &region->preemptions, &region->tasks};
	double calls = (double)region->calls;
	known->by_time =
		known->covered > 0 && region->time ? known->known * calls / known->covered / (double)region->time : 1;
	scale_times(region, known->by_time);
	scale_all(counts, sizeof counts / sizeof *counts, known->weight > 0 ? calls / known->weight : 1);
}

/* A member of a call that is not left: what it did up to the end. */
static void
add_member(struct adder *adder, const struct fg_trace_sum *call, const struct fg_trace_sum *sum, uint64_t *most)
{
	struct fg_story_region *region = &adder->regions[index_of(adder, call->function)];
	struct fg_trace_member member = sum->member;
	if (member.waits_since)
		member.waited += less(adder->end, member.waits_since);
	else if (member.away_since)
		member.off_pu += less(adder->end, member.away_since);
	if ((int64_t)member.waited < 0)
		member.waited = 0;
	uint64_t work = less(less(adder->end, member.begin), member.waited + member.off_pu);
	region->work += work;
	region->waited += member.waited;
	region->cpu += less(work, member.within);
	region->whole += less(work, member.within) + member.within_whole;
	region->tasks += member.tasks;
	region->suspensions += member.suspensions;
	region->migrations += member.migrations;
	region->preemptions += member.preemptions;
	*most = work > *most ? work : *most;
}

static void
add_call(struct adder *adder, const struct fg_trace_sum *sum)
{
	struct fg_story_region *region = &adder->regions[index_of(adder, sum->function)];
	const struct fg_trace_call *call = &sum->of_call;
	uint64_t time = less(adder->end, call->meet), most = call->most;
	region->open++;
	region->calls++;
	region->timed++;
	region->time += time;
	region->outermost += call->is_nested ? 0 : time;
	region->nested |= call->is_nested;
	lane_of(adder, call->lane)->inside += call->is_nested ? 0 : time;
	region->shortest = time < region->shortest ? time : region->shortest;
	region->longest = time > region->longest ? time : region->longest;
	region->members += call->members;
	region->fewest = call->members < region->fewest ? call->members : region->fewest;
	region->most = call->members > region->most ? call->members : region->most;
	region->work += call->work;
	region->cpu += less(call->work, call->within);
	region->whole += less(call->work, call->within) + call->within_whole;
	if (call->mode == FG_TRACE_FLAT)
		region->waited += less(call->ended * time, call->ends);
	size_t first = fg_story_bisect(adder->members, adder->n_members, sizeof *adder->members, sum->call, call_of);
	bool told = first != FG_NOBODY && adder->told[first];
	for (size_t i = first; !told && i < adder->n_members && call_of(&adder->members[i]) == sum->call; i++) {
		adder->told[i] = true;
		add_member(adder, sum, adder->members[i], &most);
	}
	region->most_work += most * call->members;
}

static uint64_t
last_event(const struct fg_trace *trace)
{
	uint64_t last = trace->head.start;
	for (size_t i = 0; i < trace->n_sums; i++)
		if (trace->sums[i].kind == FG_SUM_LANE && trace->sums[i].last > last)
			last = trace->sums[i].last;
	return last;
}

static int
by_cost(const void *a, const void *b)
{
	const struct fg_story_region *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? 1 : -1;
	return (x->function > y->function) - (x->function < y->function);
}

static bool
is_estimate(const struct fg_story_region *region)
{
	return region->timed < region->calls;
}

static void
add_all(struct adder *adder)
{
	const struct fg_trace *trace = adder->trace;
	for (size_t i = 0; i < trace->n_sums; i++)
		if (trace->sums[i].kind == FG_SUM_CALL) /* its own call is counted with it */
			adder->regions[index_of(adder, trace->sums[i].function)].calls--;
	for (size_t i = 0; i < trace->n_sums; i++)
		if (trace->sums[i].kind == FG_SUM_ROW)
			add_row(adder, &trace->sums[i]);
	for (size_t i = 0; i < adder->n; i++)
		scale(adder, i);
	for (size_t i = 0; i < trace->n_sums; i++) {
		const struct fg_trace_sum *sum = &trace->sums[i];
		size_t index = is_sum(sum) ? index_of(adder, sum->function) : FG_NOBODY;
		if (sum->kind == FG_SUM_ROW) {
			struct lane *lane = lane_of(adder, sum->call);
			uint64_t time = (uint64_t)((double)sum->row.outermost * adder->known[index].by_time);
			lane->inside += time;
			lane->guessed += is_estimate(&adder->regions[index]) ? time : 0;
		}
		if (sum->kind == FG_SUM_CALL)
			add_call(adder, sum);
	}
}

/* No thread was in regions for longer than the program ran. So estimates that say so are too high. Returns the time of
 * the thread that was in regions for longest. */
static uint64_t
cut_to(struct adder *adder, uint64_t wall)
{
	struct lane most = {0, 0};
	for (size_t i = 0; i < LANES_MAX; i++)
		most = adder->in_lane[i].inside > most.inside ? adder->in_lane[i] : most;
	if (most.inside <= wall || most.guessed == 0)
		return most.inside < wall ? most.inside : wall;
	double factor = (double)less(wall, most.inside - most.guessed) / (double)most.guessed;
	for (size_t i = 0; i < adder->n; i++)
		if (is_estimate(&adder->regions[i]) && adder->regions[i].outermost)
			scale_times(&adder->regions[i], factor);
	return wall;
}

struct fg_summary
fg_summary_of_sums(const struct fg_trace *trace, uint64_t ended)
{
	struct adder adder = {.trace = trace, .end = end_of(trace, ended)};
	if (!adder.end)
		adder.end = last_event(trace);
	adder.in_lane = fg_trace_memory(LANES_MAX, sizeof *adder.in_lane);
	regions_find(&adder);
	members_find(&adder);
	add_all(&adder);
	uint64_t wall = less(adder.end, begin_of(trace)), inside = cut_to(&adder, wall);
	fg_story_regions_name(trace, adder.regions, adder.n);
	qsort(adder.regions, adder.n, sizeof *adder.regions, by_cost);
	struct fg_summary summary = {
		.trace = trace, .regions = adder.regions, .own = adder.regions, .n_regions = adder.n};
	summary.wall = wall;
	summary.outside = wall - inside;
	count(&summary);
	summary.complete = !trace->head.dropped && !trace->cut;
	free(adder.members);
	free(adder.told);
	free(adder.in_lane);
	free(adder.known);
	return summary;
}

void
fg_summary_free(struct fg_summary *summary)
{
	free(summary->own);
}

double
fg_summary_speedup(const struct fg_story_region *region)
{
	return region->time ? (double)region->whole / (double)region->time : 0;
}

uint64_t
fg_summary_saves(const struct fg_story_region *region)
{
	uint64_t saves = region->members
				 ? (uint64_t)((double)region->waited * (double)region->calls / (double)region->members)
				 : 0;
	return saves < region->time ? saves : region->time;
}

double
fg_summary_waiting(const struct fg_story_region *region)
{
	uint64_t all = region->work + region->waited;
	return all ? (double)region->waited / (double)all : 0;
}
