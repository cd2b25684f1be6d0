/* Sums (floor: trace): see sums.h.
 *
 * A record of a call is written by the thread that met the region. Only its sums are added to by the members, with
 * atomic operations, and are read at the join, which comes after all of them have ended. A record of a member is written
 * by the running thread, or by the thread that switches it out. These records are taken from a list of the worker's and
 * go back to that of the worker where they end. A row belongs to one worker. */
#define _GNU_SOURCE
#include "trace/sums.h"

#include <errno.h>

#include "base/atomic.h"
#include "base/carrier.h"
#include "platform/map.h"
#include "trace/file.h"
#include "trace/names.h"

#define REGIONS 4096   /* of one worker; at most half of them are used */
#define FIRST_TIMED 16 /* so many calls are timed before any is not */
#define READS_NS 60    /* the two readings of a clock, with all around */
#define CALL_NS 250    /* timing a call, */
#define MEMBER_NS 60   /* and each member of it */
#define SHARE 50       /* the cost may be one of so many parts */
#define GAP_MOST 1024

/* Says how many calls, or tasks, are passed over before the next one is timed. */
struct sampler {
	uint32_t skip, gap; /* `gap`: for so many stands the next one */
};

struct region {
	uint64_t function;
	struct fg_trace_sum *row;
	struct sampler sampler;
	uint32_t skipped;     /* calls since the last one that was timed */
	uint64_t left;	      /* when that was left; 0: it is not */
	uint64_t call, pause; /* mean times of the last calls, and from leaving one to meeting the next */
};

struct fg_sums_lane {
	struct fg_trace_sum *own, *next, *end; /* FG_SUM_LANE; records of the current block that nobody has had */
	struct fg_trace_sum *free;	       /* linked by `call` */
	struct sampler tasks;
	uint64_t task_began; /* of a task that is timed */
	uint64_t random;
	unsigned number, pu, n_regions;
	struct region regions[REGIONS];
};

bool fg_sums_on;
static struct fg_atomic_u64 n_calls, dropped;
static struct fg_atomic_u32 n_lanes;

uint64_t
fg_sums_dropped(void)
{
	return fg_load_relaxed(&dropped);
}

static struct fg_trace_sum *
record_fresh(struct fg_sums_lane *lane)
{
	if (lane->next == lane->end) {
		uint64_t offset;
		struct fg_trace_block *block = fg_trace_file_block(FG_TRACE_ALIGN, &offset);
		if (!block) {
			fg_add_relaxed(&dropped, 1);
			return NULL;
		}
		block->count = (block->bytes - sizeof *block) / sizeof *lane->next;
		block->kind = FG_TRACE_SUMS;
		lane->next = (struct fg_trace_sum *)(block + 1);
		lane->end = lane->next + block->count;
	}
	return lane->next++;
}

/* A record for a call or a member. Its words are zero, but for the kind, which makes it valid, and is stored last. */
static struct fg_trace_sum *
record_take(struct fg_sums_lane *lane)
{
	struct fg_trace_sum *record = lane->free;
	if (!record)
		return record_fresh(lane);
	lane->free = (struct fg_trace_sum *)(uintptr_t)record->call;
	for (unsigned i = 0; i < 16; i++) /* all that a call or a member has */
		record->words[i] = 0;
	return record;
}
_Static_assert(sizeof(struct fg_trace_call) <= 128 && sizeof(struct fg_trace_member) <= 128, "record_take clears them");

static void
record_begin(struct fg_trace_sum *record, enum fg_trace_sum_kind kind, const struct fg_trace_sum *like)
{
	record->function = like->function;
	record->weight = like->weight;
	record->call = like->call;
	atomic_signal_fence(memory_order_release);
	record->kind = kind;
}

static void
record_give(struct fg_sums_lane *lane, struct fg_trace_sum *record)
{
	record->kind = FG_SUM_FREE;
	atomic_signal_fence(memory_order_release);
	record->call = (uintptr_t)lane->free;
	lane->free = record;
}

static struct fg_sums_lane *
lane_new(void)
{
	int saved = errno;
	struct fg_sums_lane *lane = fg_map_unreserved(sizeof *lane);
	if (lane) {
		lane->random = (uintptr_t)lane | 1;
		lane->number = fg_add_relaxed(&n_lanes, 1) + 1;
		lane->own = record_fresh(lane);
		if (lane->own)
			lane->own->kind = FG_SUM_LANE;
	}
	errno = saved;
	return lane;
}

/* The caller's. NULL: nothing is recorded any more. */
static struct fg_sums_lane *
lane_here(void)
{
	unsigned pu = 0;
	struct fg_sums_lane **here = fg_trace_lane_sums(&pu);
	if (!here)
		return NULL;
	if (__builtin_expect(!*here, 0) && !(*here = lane_new()))
		return NULL;
	(*here)->pu = pu;
	return *here;
}

static uint64_t
now_on(struct fg_sums_lane *lane)
{
	uint64_t now = fg_carrier->now();
	if (lane->own)
		lane->own->last = now;
	return now;
}

static struct region *
region_of(struct fg_sums_lane *lane, uint64_t function)
{
	uint64_t place = function * UINT64_C(0x9e3779b97f4a7c15) >> 52;
	for (;; place = (place + 1) % REGIONS) {
		struct region *region = &lane->regions[place];
		if (region->function == function)
			return region;
		if (region->function)
			continue;
		if (lane->n_regions >= REGIONS / 2 || !(region->row = record_fresh(lane))) {
			fg_add_relaxed(&dropped, 1);
			return NULL;
		}
		lane->n_regions++;
		region->sampler.gap = 1;
		region->row->row.shortest = UINT64_MAX;
		region->row->row.fewest = UINT32_MAX;
		region->row->function = region->function = function;
		region->row->call = lane->number;
		region->row->kind = FG_SUM_ROW;
		return region;
	}
}

static struct fg_trace_row *
row_of(struct fg_sums_lane *lane, const struct fg_trace_sum *record)
{
	struct region *region = region_of(lane, record->function);
	return region ? &region->row->row : NULL;
}

/* The next of so many on the average is timed. The number is random, so that no rhythm of the program meets it. */
static struct sampler
sampler_after(struct fg_sums_lane *lane, uint64_t cost, uint64_t lasts)
{
	uint64_t mean = lasts ? cost * SHARE / lasts : GAP_MOST, gap = 1;
	lane->random ^= lane->random << 13;
	lane->random ^= lane->random >> 7;
	lane->random ^= lane->random << 17;
	if (mean > GAP_MOST)
		mean = GAP_MOST;
	if (mean > 1)
		gap = 1 + lane->random % (2 * mean - 1);
	return (struct sampler){(uint32_t)gap - 1, (uint32_t)gap};
}

/* For the words of a call, which its members share. The simulated machine does not charge for them. */
static void
add_shared(uint64_t *word, uint64_t number)
{
	__atomic_fetch_add(word, number, __ATOMIC_RELAXED);
}

static void
raise_shared(uint64_t *word, uint64_t number)
{
	uint64_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
	while (seen < number &&
	       !__atomic_compare_exchange_n(word, &seen, number, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void
learn(uint64_t *mean, uint64_t time)
{
	*mean = *mean ? *mean - *mean / 8 + time / 8 : time;
}

/* The calls that were not timed lie between the end of the last one that was, and now. So they have the part of that time
 * that calls have as a rule. Even if a few calls are long and none of those was timed, the sum is no longer than what
 * went by. */
static void
know_skipped(struct region *region, uint64_t now)
{
	struct fg_trace_row *row = &region->row->row;
	uint64_t n = region->skipped, passed = region->left ? now - region->left : 0;
	double calls = (double)n * (double)region->call, pauses = (double)(n + 1) * (double)region->pause;
	if (n && passed && calls > 0)
		row->known += (uint64_t)((double)passed * calls / (calls + pauses));
	else
		row->known += n * region->call;
	if (!n && region->left)
		learn(&region->pause, passed);
	row->covered += n;
	region->skipped = 0;
	region->left = 0;
}

struct fg_trace_sum *
fg_sums_meet(void (*function)(void *), bool is_nested)
{
	struct fg_sums_lane *lane = lane_here();
	struct region *region = lane ? region_of(lane, (uintptr_t)function) : NULL;
	if (!region)
		return NULL;
	struct fg_trace_row *row = &region->row->row;
	if (row->met++ == 0)
		fg_trace_names_note((uintptr_t)function);
	row->nested += is_nested;
	if (region->sampler.skip) {
		if (!region->skipped++ && region->left)
			learn(&region->pause, now_on(lane) - region->left);
		region->sampler.skip--;
		return NULL;
	}
	struct fg_trace_sum *call = record_take(lane);
	if (!call)
		return NULL;
	call->of_call.is_nested = is_nested;
	call->of_call.lane = lane->number;
	call->of_call.meet = now_on(lane);
	know_skipped(region, call->of_call.meet);
	record_begin(call, FG_SUM_CALL,
		     &(struct fg_trace_sum){.function = (uintptr_t)function,
					    .weight = region->sampler.gap,
					    .call = fg_add_relaxed(&n_calls, 1) + 1});
	return call;
}

void
fg_sums_team(struct fg_trace_sum *call, uint32_t members, uint32_t mode)
{
	call->of_call.members = members;
	call->of_call.mode = mode;
}

/* Adds a call that was left to its row. `weight` is the number of calls for which it stands. */
static void
row_add(struct fg_trace_row *row, const struct fg_trace_call *call, uint64_t time, uint64_t weight)
{
	uint64_t work = __atomic_load_n(&call->work, __ATOMIC_RELAXED), ended = call->ended;
	row->timed++;
	row->weight += weight;
	row->time += weight * time;
	row->outermost += call->is_nested ? 0 : weight * time;
	row->shortest = time < row->shortest ? time : row->shortest;
	row->longest = time > row->longest ? time : row->longest;
	row->members += weight * call->members;
	row->fewest = call->members < row->fewest ? call->members : row->fewest;
	row->most = call->members > row->most ? call->members : row->most;
	row->work += weight * work;
	row->most_work += weight * ended * call->most;
	if (call->mode == FG_TRACE_FLAT)
		row->waited += weight * (ended * time - call->ends);
	row->cpu += weight * (work - call->within);
	row->whole += weight * (work - call->within + call->within_whole);
}

void
fg_sums_join(struct fg_trace_sum *call, struct fg_trace_sum *outer)
{
	struct fg_sums_lane *lane = lane_here();
	struct region *region = lane ? region_of(lane, call->function) : NULL;
	if (!region)
		return;
	struct fg_trace_call *own = &call->of_call;
	uint64_t now = now_on(lane), time = now - own->meet;
	region->row->row.known += time;
	region->row->row.covered++;
	region->left = now;
	learn(&region->call, time);
	row_add(&region->row->row, own, time, call->weight);
	if (outer) {
		outer->member.within += call->weight * time;
		outer->member.within_whole += call->weight * (own->work - own->within + own->within_whole);
	}
	if (region->row->row.timed >= FIRST_TIMED)
		region->sampler = sampler_after(lane, CALL_NS + MEMBER_NS * (uint64_t)own->members, time);
	record_give(lane, call);
}

struct fg_trace_sum *
fg_sums_begin(struct fg_trace_sum *call, struct fg_trace_sum *last)
{
	struct fg_sums_lane *lane = lane_here();
	if (!lane)
		return NULL;
	if (last && last->member.ended)
		record_give(lane, last);
	struct fg_trace_sum *record = call ? record_take(lane) : NULL;
	if (!record)
		return NULL;
	record->member.gap = 1;
	record->member.pu = (uint16_t)lane->pu;
	record->member.begin = now_on(lane);
	record_begin(record, FG_SUM_MEMBER, call);
	return record;
}

struct fg_trace_sum *
fg_sums_again(struct fg_trace_sum *call, struct fg_trace_sum *last)
{
	if (call && last && last->member.ended && last->call == call->call)
		return last;
	struct fg_trace_sum *record = fg_sums_begin(call, last);
	if (record)
		record->member.ended = 1;
	return record;
}

void
fg_sums_forget(struct fg_trace_sum *record)
{
	struct fg_sums_lane *lane = record->member.ended ? lane_here() : NULL;
	if (lane)
		record_give(lane, record);
}

void
fg_sums_end(struct fg_trace_sum *record, struct fg_trace_sum *call)
{
	struct fg_sums_lane *lane = lane_here();
	struct fg_trace_row *row = lane ? row_of(lane, record) : NULL;
	struct fg_trace_member *member = &record->member;
	if (!row || !call || member->ended)
		return;
	uint64_t now = now_on(lane), span = now - member->begin, idle = member->waited + member->off_pu;
	uint64_t weight = record->weight;
	member->work = span > idle ? span - idle : 0;
	row->span += weight * span;
	row->waited += weight * member->waited;
	row->off_pu += weight * member->off_pu;
	row->suspensions += weight * member->suspensions;
	row->migrations += weight * member->migrations;
	row->preemptions += weight * member->preemptions;
	row->tasks += weight * member->tasks;
	add_shared(&call->of_call.work, member->work);
	raise_shared(&call->of_call.most, member->work);
	add_shared(&call->of_call.within, member->within);
	add_shared(&call->of_call.within_whole, member->within_whole);
	add_shared(&call->of_call.ends, now - call->of_call.meet);
	add_shared(&call->of_call.ended, 1);
	member->ended = 1;
}

void
fg_sums_wait_slow(struct fg_trace_sum *record)
{
	struct fg_trace_member *member = &record->member;
	if (member->ended || member->waits)
		return;
	member->barriers++;
	if (member->skip) {
		member->skip--;
		member->waits = 2;
		return;
	}
	struct fg_sums_lane *lane = lane_here();
	if (!lane)
		return;
	member->waits_since = now_on(lane);
	member->waits = 1;
}

void
fg_sums_go_slow(struct fg_trace_sum *record)
{
	struct fg_trace_member *member = &record->member;
	uint8_t waits = member->waits;
	member->waits = 0;
	struct fg_sums_lane *lane = waits == 1 ? lane_here() : NULL;
	if (!lane)
		return;
	uint64_t now = now_on(lane);
	member->waited += member->gap * (now - member->waits_since);
	member->waits_since = 0;
	struct sampler next = sampler_after(lane, READS_NS, (now - member->begin) / member->barriers);
	member->skip = next.skip;
	member->gap = next.gap;
}

/* Tasks that run in a wait that is timed, or after their member's end, are no waiting. */
static bool
task_counts(const struct fg_trace_member *member)
{
	return member->depth == 1 && (member->waits == 1 || member->ended);
}

void
fg_sums_task_slow(struct fg_trace_sum *record)
{
	struct fg_trace_member *member = &record->member;
	struct fg_sums_lane *lane;
	member->depth++;
	member->tasks++;
	if (!task_counts(member) || !(lane = lane_here()))
		return;
	if (lane->tasks.skip)
		lane->tasks.skip--;
	else
		member->task_since = now_on(lane);
}

void
fg_sums_task_end_slow(struct fg_trace_sum *record, struct fg_trace_sum *call)
{
	struct fg_trace_member *member = &record->member;
	struct fg_sums_lane *lane;
	if (!member->depth)
		return;
	if (member->ended && (lane = lane_here())) {
		struct fg_trace_row *row = row_of(lane, record);
		if (row)
			row->tasks += record->weight;
	}
	bool counts = task_counts(member) && member->task_since;
	member->depth--;
	if (!counts || !call || !(lane = lane_here()))
		return;
	uint64_t lasts = now_on(lane) - member->task_since;
	uint64_t helped = lasts * (lane->tasks.gap ? lane->tasks.gap : 1);
	member->task_since = 0;
	if (member->ended) {
		struct fg_trace_row *row = row_of(lane, record);
		if (row && call->of_call.mode == FG_TRACE_FLAT)
			row->waited -= record->weight * helped;
		member->work += helped;
		add_shared(&call->of_call.work, helped);
		raise_shared(&call->of_call.most, member->work);
	} else {
		member->waited -= member->gap * helped;
	}
	lane->tasks = sampler_after(lane, READS_NS, lasts);
}

void
fg_sums_leave_slow(struct fg_trace_sum *record)
{
	struct fg_trace_member *member = &record->member;
	if (member->ended)
		return;
	member->suspensions++;
	if (member->waits || member->away_since)
		return;
	struct fg_sums_lane *lane = lane_here();
	if (lane)
		member->away_since = now_on(lane);
}

void
fg_sums_resume_slow(struct fg_trace_sum *record)
{
	struct fg_trace_member *member = &record->member;
	struct fg_sums_lane *lane = member->ended ? NULL : lane_here();
	if (!lane)
		return;
	member->migrations += member->pu != lane->pu;
	member->pu = (uint16_t)lane->pu;
	if (member->away_since)
		member->off_pu += now_on(lane) - member->away_since;
	member->away_since = 0;
}

void
fg_sums_preempt_slow(struct fg_trace_sum *record)
{
	record->member.preemptions++;
}

void
fg_sums_stolen_slow(const struct fg_trace_sum *record)
{
	struct fg_sums_lane *lane = lane_here();
	struct fg_trace_row *row = lane ? row_of(lane, record) : NULL;
	if (row)
		row->steals += record->weight;
}
