/* Lines (floor: sim; behind base/atomic_charged.h): which PUs have a cache line, and what it costs to get it.
 *
 * For each line the simulation knows the PU that wrote it last, and the PUs that have a copy. It also knows from when
 * the last value can be seen.
 * - A read without a copy waits until then, and for the transfer: from the nearest PU below its own cache that has a
 *   copy, else from the writer's PU by way of the line's home. A row of reads may have several such requests under way
 *   (requests.h).
 * - A store does not wait. Its value is seen after the line has come and the other copies are gone.
 * - An operation that changes the line waits for that too, and so does a fence.
 *
 * So PUs that change one line queue for it, and readers queue at its home. Lines between nodes also take the links. No
 * PU sees a value before the time of its store, even if the storing PU ran ahead. A line that only one PU has touched
 * costs nothing. */
#include "base/atomic_charged.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "platform/process.h"
#include "platform/thread.h"
#include "sim/actor.h"
#include "sim/memory.h"
#include "sim/rights.h"
#include "sim/stopwatch.h"

struct line {
	uintptr_t number; /* 0: free */
	uint64_t seen_from;
	uint64_t kept_until; /* from then on, requests of others are served */
	uint64_t met;	     /* when a PU without a copy last wanted it */
	uint64_t changed;
	uint16_t writer;
	bool shared; /* more than one PU has touched it */
	uint64_t copies[FG_MODEL_PUS / 64];
};

static struct {
	struct line *table;
	size_t room, used; /* room: a power of two */
} lines;

static size_t
slot_of(uintptr_t number)
{
	size_t slot = (number * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & (lines.room - 1);
	while (lines.table[slot].number && lines.table[slot].number != number)
		slot = (slot + 1) & (lines.room - 1);
	return slot;
}

static void
grow(void)
{
	struct line *old = lines.table;
	size_t old_room = lines.room;
	lines.room = lines.room ? 2 * lines.room : 4096;
	lines.table = calloc(lines.room, sizeof *lines.table);
	if (!lines.table)
		fg_fatal("Out of memory for the lines of the simulated machine");
	for (size_t i = 0; i < old_room; i++)
		if (old[i].number)
			lines.table[slot_of(old[i].number)] = old[i];
	free(old);
}

/* The change is not charged to a PU, so it is not known which PUs have the line. */
static void
disturb_all(void)
{
	for (unsigned pu = 0; pu < fg_sim.n_pus; pu++)
		fg_sim_disturb(&fg_sim.pus[pu]);
}

#define QUIET_NS 2000

/* The running PU has been the only one with the line for a while. So what it stores there can be told to others
 * later. */
static bool
is_quiet(const struct line *line)
{
	if (fg_sim.given)
		return false;
	for (unsigned word = 0; word * 64 < fg_sim.n_pus; word++)
		if (line->copies[word] != (word == fg_sim.pu / 64 ? UINT64_C(1) << fg_sim.pu % 64 : 0))
			return false;
	return fg_sim.clock > line->met + QUIET_NS && fg_sim.clock >= line->seen_from;
}

static void
permit(const struct line *line)
{
	struct fg_charge_right *right = fg_right_of(fg_sim.pu, line->number);
	right->turn = fg_charge_state.turn;
	right->may_read = line->number;
	right->may_change = !line->shared || is_quiet(line) ? line->number : 0;
}

/* Another PU has a copy now, or it has changed the line (may_read is false). */
static void
forbid(unsigned pu, uintptr_t number, bool may_read)
{
	struct fg_charge_right *right = fg_right_of(pu, number);
	if (right->may_change == number)
		right->may_change = 0;
	if (may_read)
		return;
	if (right->may_read == number)
		right->may_read = 0;
	fg_sim_disturb(&fg_sim.pus[pu]);
}

/* The caller has no copy, so the PU that wrote the line no longer has it alone. */
static void
ask_for(struct line *line)
{
	forbid(line->writer, line->number, true);
	line->met = fg_sim.clock;
}

static bool
has_copy(const struct line *line, unsigned pu)
{
	return line->copies[pu / 64] >> pu % 64 & 1;
}

static struct line *
line_of(uintptr_t number)
{
	if (2 * lines.used >= lines.room)
		grow();
	struct line *line = &lines.table[slot_of(number)];
	if (!line->number) {
		lines.used++;
		line->number = number;
		line->writer = (uint16_t)fg_sim.pu;
		line->copies[fg_sim.pu / 64] |= UINT64_C(1) << fg_sim.pu % 64;
	}
	return line;
}

static void
meet(unsigned pu)
{
	if (fg_sim.pus[pu].met < fg_sim.clock)
		fg_sim.pus[pu].met = fg_sim.clock;
}

static uint64_t
transfer(unsigned from, unsigned to)
{
	fg_sim.pus[to].transfers++;
	meet(from);
	meet(to);
	fg_sim.distance_transfers[fg_sim_distance(from, to)]++;
	return fg_sim.transfer[from * fg_sim.n_pus + to];
}

static void
wait_until(uint64_t time)
{
	if (time > fg_sim.clock)
		fg_sim_spend(FG_SPENT_LINES, time - fg_sim.clock);
}

/* The caller's PU asks for the line. */
static void
note_copy(struct line *line)
{
	line->copies[fg_sim.pu / 64] |= UINT64_C(1) << fg_sim.pu % 64;
}

/* A reader gets the line from the nearest PU below its own outermost cache that has a copy, or has asked for one.
 * Else it asks the line's home, which asks the PU that wrote it. `since`: when the line is there. */
static unsigned
source_of(const struct line *line, uint64_t *since)
{
	unsigned pu = fg_sim.pu, from = line->writer, end = fg_sim.pus[pu].beside + fg_sim.pus[pu].n_beside;
	uint16_t least = UINT16_MAX;
	*since = 0;
	for (unsigned other = fg_sim.pus[pu].beside; other < end; other++)
		if (other != pu && has_copy(line, other) && fg_sim.transfer[other * fg_sim.n_pus + pu] < least)
			least = fg_sim.transfer[(from = other) * fg_sim.n_pus + pu];
	const struct fg_request *request = fg_request_find(&fg_sim.pus[from].requests, line->number);
	if (request && request->asked >= line->changed)
		*since = request->arrives;
	return from;
}

static bool
is_beside(unsigned other)
{
	return other - fg_sim.pus[fg_sim.pu].beside < fg_sim.pus[fg_sim.pu].n_beside;
}

/* The home of the line serves this request now. Others queue behind it, and it queues for the links. */
static uint64_t
home_serves(struct line *line, unsigned from, uint64_t now)
{
	if (is_beside(from))
		return 0;
	uint64_t way = fg_sim.transfer[from * fg_sim.n_pus + fg_sim.pu];
	uint64_t until = now + (uint64_t)((double)way * fg_sim.model.queue);
	if (line->kept_until < until)
		line->kept_until = until;
	return fg_memory_link(from, fg_sim.pu);
}

/* Returns when a request for the line is served that arrives at `now`. */
static uint64_t
served_at(const struct line *line, unsigned from, uint64_t since, uint64_t now)
{
	now = now < line->seen_from ? line->seen_from : now;
	now = now < since ? since : now;
	return now < line->kept_until && !is_beside(from) ? line->kept_until : now;
}

static struct line *
fetch_to_read(struct line *line)
{
	uintptr_t number = line->number;
	uint64_t asked = fg_sim.clock, since, changed = line->changed;
	unsigned from = source_of(line, &since);
	uint64_t way = transfer(from, fg_sim.pu);
	struct fg_requests *requests = &fg_sim.pus[fg_sim.pu].requests;
	ask_for(line);
	note_copy(line);
	fg_request_room(requests, FG_MISSES_MAX, fg_sim.clock);
	fg_request_add(requests, &(struct fg_request){number, from, asked, asked + way / 2, asked + way});
	fg_sim_spend(FG_SPENT_LINES, way / 2);
	fg_sim_let_others();
	line = line_of(number);
	for (uint64_t served; (served = served_at(line, from, since, fg_sim.clock)) > fg_sim.clock;
	     line = line_of(number)) {
		wait_until(served);
		fg_sim_let_others();
	}
	fg_request_drop(requests,
			fg_request_find(requests, number)); /* another actor of the PU may have forgotten it */
	if (is_beside(from) && line->changed != changed)
		return fetch_to_read(line); /* the copy was dropped before the request came there */
	fg_sim_spend(FG_SPENT_LINES, home_serves(line, from, fg_sim.clock) + way / 2);
	note_copy(line);
	line->shared = true;
	return line;
}

/* The request leaves, and the PU goes on. */
static struct line *
prefetch_to_read(struct line *line)
{
	struct fg_requests *requests = &fg_sim.pus[fg_sim.pu].requests;
	if (has_copy(line, fg_sim.pu) || fg_request_find(requests, line->number))
		return line;
	wait_until(fg_request_room(requests, fg_sim.model.misses, fg_sim.clock));
	fg_request_room(requests, fg_sim.model.misses, fg_sim.clock);
	struct fg_request request = {.line = line->number, .asked = fg_sim.clock};
	uint64_t since;
	request.from = source_of(line, &since);
	uint64_t way = transfer(request.from, fg_sim.pu);
	request.served = served_at(line, request.from, since, fg_sim.clock + way / 2);
	request.arrives = request.served + home_serves(line, request.from, request.served) + way / 2;
	ask_for(line);
	note_copy(line);
	line->shared = true;
	fg_request_add(requests, &request);
	return line;
}

/* The PU reads a line for which its request is under way. If the line was changed before the request came there, the
 * request waits for the new value. If it was changed later, the line is gone again: returns false. */
static bool
await_request(struct line *line, struct fg_requests *requests, struct fg_request *under_way)
{
	struct fg_request request = *under_way;
	fg_request_drop(requests, under_way);
	if (line->changed > request.served)
		return false;
	uint64_t half = fg_sim.transfer[request.from * fg_sim.n_pus + fg_sim.pu] / 2;
	wait_until(request.arrives);
	if (line->changed > request.asked)
		wait_until(line->seen_from + half);
	note_copy(line);
	return true;
}

/* The request goes to the PU that has the line, and the line comes back. Until the request arrives, that PU may use the
 * line. Requests of other PUs may be faster, and those PUs then keep the line for a while. */
static struct line *
fetch(struct line *line)
{
	uintptr_t number = line->number;
	ask_for(line);
	fg_sim_spend(FG_SPENT_LINES, transfer(line->writer, fg_sim.pu) / 2);
	fg_sim_let_others();
	line = line_of(number);
	while (line->kept_until > fg_sim.clock || line->seen_from > fg_sim.clock) {
		wait_until(line->seen_from);
		wait_until(line->kept_until);
		fg_sim_let_others();
		line = line_of(number);
	}
	fg_sim_spend(FG_SPENT_LINES, fg_sim.transfer[line->writer * fg_sim.n_pus + fg_sim.pu] / 2);
	line->shared = true;
	return line;
}

static struct line *
read_line(struct line *line)
{
	struct fg_requests *requests = &fg_sim.pus[fg_sim.pu].requests;
	struct fg_request *request = requests->n ? fg_request_find(requests, line->number) : NULL;
	if (request && await_request(line, requests, request))
		return line;
	return has_copy(line, fg_sim.pu) ? line : fetch_to_read(line);
}

/* The time until the farthest copy is dropped and the storing PU knows that. */
static uint64_t
time_to_drop(const struct line *line)
{
	uint64_t longest = 0;
	for (unsigned word = 0; word * 64 < fg_sim.n_pus; word++)
		for (uint64_t bits = line->copies[word]; bits; bits &= bits - 1) {
			unsigned other = word * 64 + (unsigned)__builtin_ctzll(bits);
			uint64_t ns = fg_sim.transfer[other * fg_sim.n_pus + fg_sim.pu];
			longest = ns > longest ? ns : longest;
		}
	return longest;
}

/* A transfer has three legs: to the line's home, from there to the PU that has the line, and from there to the PU that
 * wants it. The home begins with the next request when it hears that the last one was served. Then that request still
 * has one leg to go. */
static uint64_t
keep_ns(unsigned from)
{
	return fg_sim.transfer[from * fg_sim.n_pus + fg_sim.pu] / 3;
}

static void
own(struct line *line)
{
	unsigned pu = fg_sim.pu;
	line->shared = line->shared || line->writer != pu || !has_copy(line, pu);
	line->writer = (uint16_t)pu;
	for (unsigned word = 0; word * 64 < fg_sim.n_pus; word++)
		for (uint64_t bits = line->copies[word]; bits; bits &= bits - 1)
			forbid(word * 64 + (unsigned)__builtin_ctzll(bits), line->number, false);
	memset(line->copies, 0, sizeof line->copies);
	note_copy(line);
	line->changed = fg_sim.clock;
}

/* The value of a store can be seen after the line has come. If the PU has a copy, it can be seen after the message that
 * drops the other copies. That message takes half of the way there and back. */
static struct line *
store_line(struct line *line, enum fg_charge kind)
{
	struct fg_sim_pu *pu = &fg_sim.pus[fg_sim.pu];
	bool here = has_copy(line, fg_sim.pu);
	if (!here)
		ask_for(line);
	uint64_t start = line->seen_from > fg_sim.clock ? line->seen_from : fg_sim.clock;
	line->seen_from = start + (here ? time_to_drop(line) / 2 : transfer(line->writer, fg_sim.pu));
	if (kind == FG_CHARGE_WRITE && pu->stores_done < line->seen_from)
		pu->stores_done = line->seen_from;
	own(line);
	return line;
}

static struct line *
change_line(struct line *line)
{
	struct fg_sim_pu *pu = &fg_sim.pus[fg_sim.pu];
	wait_until(pu->stores_done);
	if (line->writer != fg_sim.pu)
		pu->taken_from = line->writer;
	if (has_copy(line, fg_sim.pu)) {
		wait_until(line->seen_from);
		fg_sim_spend(FG_SPENT_LINES, time_to_drop(line));
	} else {
		line = fetch(line);
		line->kept_until = fg_sim.clock + keep_ns(line->writer);
	}
	own(line);
	line->seen_from = fg_sim.clock;
	return line;
}

static void
note_taken(const struct line *line)
{
	if (has_copy(line, fg_sim.pu))
		return;
	fg_sim.pus[fg_sim.pu].task_steals++;
	fg_sim.distance_task_steals[fg_sim_distance(line->writer, fg_sim.pu)]++;
}

/* While a PU waits for a line, it goes on with the operations that follow, as far as its reorder buffer holds them. A
 * PU that spins does not know what follows. Given work is charged in full. */
static void
go_ahead(uint64_t waited)
{
	struct fg_sim_pu *pu = &fg_sim.pus[fg_sim.pu];
	uint64_t most = (uint64_t)fg_sim.model.ahead;
	pu->ahead = pu->ahead + waited < most ? pu->ahead + waited : most;
}

static void
use_line(uintptr_t number, enum fg_charge kind)
{
	struct line *line = line_of(number);
	if (kind == FG_CHARGE_TAKE) {
		note_taken(line);
		kind = FG_CHARGE_READ;
	}
	uint64_t asked = fg_sim.clock;
	line = kind == FG_CHARGE_READ		 ? read_line(line)
	       : kind == FG_CHARGE_PREFETCH_READ ? prefetch_to_read(line)
	       : kind == FG_CHARGE_CHANGE	 ? change_line(line)
						 : store_line(line, kind);
	if (!fg_sim.given && !fg_sim.spins)
		go_ahead(fg_sim.clock - asked);
	if (line->shared && kind == FG_CHARGE_CHANGE)
		fg_sim_spend(FG_SPENT_LINES, (uint64_t)fg_sim.model.locked);
	permit(line);
}

/* PUs that are behind in time go first, because the caller's next operation happens at the caller's time, not at
 * theirs. */
void
fg_charge_slow(uintptr_t number, enum fg_charge kind)
{
	if (kind == FG_CHARGE_CHANGE)
		fg_stopwatch_stop_done();
	else
		fg_stopwatch_stop();
	if (!fg_sim.on || fg_sim.busy)
		return;
	assert(fg_thread_id() == fg_process_id() && "one kernel thread carries all PUs");
	if (!fg_sim_locate()) {
		if (kind != FG_CHARGE_READ && kind != FG_CHARGE_TAKE)
			disturb_all();
		return;
	}
	fg_sim.busy = true;
	fg_sim_lap(kind == FG_CHARGE_READ || kind == FG_CHARGE_TAKE);
	fg_sim_let_others();
	if (fg_sim_locate())
		use_line(number, kind);
	fg_stopwatch_start();
	fg_sim.busy = false;
}

void
fg_charge_fence(void)
{
	/* The fence runs on the real processor, which takes its own time for it. It waits for no store. */
	if (!fg_sim.given && fg_sim.on && !fg_sim.busy && fg_sim.pus[fg_sim.pu].stores_done <= fg_sim.clock) {
		FG_FULL_FENCE();
		return;
	}
	fg_stopwatch_stop();
	atomic_thread_fence(memory_order_seq_cst);
	if (!fg_sim.on || fg_sim.busy || !fg_sim_locate())
		return;
	fg_sim.busy = true;
	fg_sim_lap(true);
	wait_until(fg_sim.pus[fg_sim.pu].stores_done);
	fg_sim_spend(FG_SPENT_LINES, (uint64_t)fg_sim.model.fence);
	fg_stopwatch_start();
	fg_sim.busy = false;
}

void
fg_charge_pause(void)
{
	fg_actor_pause();
}

/* In the child of a fork the memory is another process's. */
static void
after_fork(void)
{
	if (!fg_sim.on)
		return;
	if (lines.table)
		memset(lines.table, 0, lines.room * sizeof *lines.table);
	fg_rights_clear();
	lines.used = 0;
}

void
fg_lines_start(void)
{
	pthread_atfork(NULL, NULL, after_fork);
}
