/* Lines: who has which cache line, and what it costs to get it (floor: sim; behind base/atomic_charged.h).
 *
 * Each line has the PU that wrote it last, the PUs that have a copy, and the time from which that last value can be seen. A read
 * without a copy waits for that time and for the transfer from the writer's PU. A store does not wait: its value is seen after
 * the line has come and the others' copies are gone; an operation that changes the line, and a fence, wait for that too. So
 * whoever changes a line that many want queues for it, and nobody sees a value before the time at which it was stored, even
 * though the storing PU ran on ahead. Readers of one line do not queue. Lines that one PU alone has touched cost nothing. */
#include "base/atomic_charged.h"

#include <stdlib.h>
#include <string.h>

#include "base/carrier.h"
#include "base/log.h"
#include "sim/sim.h"
#include "sim/stopwatch.h"

struct fg_charge_right fg_charge_rights[FG_CHARGE_RIGHTS];
uint32_t fg_charge_turn = 1;

struct line {
	uintptr_t number; /* 0: free */
	uint64_t seen_from;
	uint16_t writer;
	bool shared; /* more than one PU has touched it */
	uint64_t copies[FG_MODEL_PUS / 64];
};

static struct line *table;
static size_t room, used; /* room: a power of two */

static size_t
slot_of(uintptr_t number)
{
	size_t slot = (number * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & (room - 1);
	while (table[slot].number && table[slot].number != number)
		slot = (slot + 1) & (room - 1);
	return slot;
}

static void
grow(void)
{
	struct line *old = table;
	size_t old_room = room;
	room = room ? 2 * room : 4096;
	table = calloc(room, sizeof *table);
	if (!table)
		fg_fatal("Out of memory for the lines of the simulated machine");
	for (size_t i = 0; i < old_room; i++)
		if (old[i].number)
			table[slot_of(old[i].number)] = old[i];
	free(old);
}

static bool
has_copy(const struct line *line, unsigned pu)
{
	return line->copies[pu / 64] >> pu % 64 & 1;
}

static struct line *
line_of(uintptr_t number)
{
	if (2 * used >= room)
		grow();
	struct line *line = &table[slot_of(number)];
	if (!line->number) {
		used++;
		line->number = number;
		line->writer = (uint16_t)fg_sim.pu;
		line->copies[fg_sim.pu / 64] |= UINT64_C(1) << fg_sim.pu % 64;
	}
	return line;
}

static uint64_t
transfer(unsigned from, unsigned to)
{
	fg_sim.pus[to].transfers++;
	fg_sim.distance_transfers[fg_sim_distance(from, to)]++;
	return fg_sim.transfer[from * fg_sim.n_pus + to];
}

static void
wait_until(uint64_t time)
{
	if (time > fg_sim.clock)
		fg_sim_spend(FG_SPENT_LINES, time - fg_sim.clock);
}

static void
read_line(struct line *line)
{
	unsigned pu = fg_sim.pu;
	if (has_copy(line, pu))
		return;
	wait_until(line->seen_from);
	fg_sim_spend(FG_SPENT_LINES, transfer(line->writer, pu));
	line->copies[pu / 64] |= UINT64_C(1) << pu % 64;
	line->shared = true;
}

/* How long until the running PU alone has the line: it comes from its last writer, or the copy farthest away is dropped: that is one
 * message where a transfer is two, there and back. */
static uint64_t
time_to_own(const struct line *line)
{
	unsigned pu = fg_sim.pu;
	if (!has_copy(line, pu))
		return transfer(line->writer, pu);
	uint64_t longest = 0;
	for (unsigned word = 0; word * 64 < fg_sim.n_pus; word++)
		for (uint64_t bits = line->copies[word]; bits; bits &= bits - 1) {
			unsigned other = word * 64 + (unsigned)__builtin_ctzll(bits);
			uint64_t ns = fg_sim.transfer[other * fg_sim.n_pus + pu];
			longest = ns > longest ? ns : longest;
		}
	return longest / 2;
}

static void
write_line(struct line *line, enum fg_charge kind)
{
	unsigned pu = fg_sim.pu;
	struct fg_sim_pu *own = &fg_sim.pus[pu];
	if (kind == FG_CHARGE_CHANGE)
		wait_until(own->stores_done);
	uint64_t start = line->seen_from > fg_sim.clock ? line->seen_from : fg_sim.clock;
	line->seen_from = start + time_to_own(line);
	if (kind == FG_CHARGE_WRITE && own->stores_done < line->seen_from)
		own->stores_done = line->seen_from;
	if (kind == FG_CHARGE_CHANGE)
		wait_until(line->seen_from);
	if (line->writer != pu || !has_copy(line, pu))
		line->shared = true;
	if (line->writer != pu && kind == FG_CHARGE_CHANGE)
		own->taken_from = line->writer;
	line->writer = (uint16_t)pu;
	memset(line->copies, 0, sizeof line->copies);
	line->copies[pu / 64] |= UINT64_C(1) << pu % 64;
}

static void
use_line(uintptr_t number, enum fg_charge kind)
{
	struct line *line = line_of(number);
	if (kind == FG_CHARGE_READ)
		read_line(line);
	else
		write_line(line, kind);
	if (line->shared && kind != FG_CHARGE_READ)
		fg_sim.events++;
	if (line->shared && kind == FG_CHARGE_CHANGE)
		fg_sim_spend(FG_SPENT_LINES, (uint64_t)fg_sim.model.locked);
	fg_charge_rights[number % FG_CHARGE_RIGHTS] =
		(struct fg_charge_right){number, fg_charge_turn, line->shared ? FG_CHARGE_READ : FG_CHARGE_CHANGE};
}

/* Others first, if they are behind: what the caller does next happens at its time, not at theirs. */
void
fg_charge_slow(uintptr_t number, enum fg_charge kind)
{
	fg_stopwatch_stop();
	if (!fg_sim.on || fg_sim.busy || !fg_sim_locate())
		return;
	fg_sim.busy = true;
	fg_sim_lap(kind == FG_CHARGE_READ);
	fg_sim_let_others();
	if (fg_sim_locate())
		use_line(number, kind);
	fg_stopwatch_start();
	fg_sim.busy = false;
}

void
fg_charge_fence(void)
{
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
	fg_carrier_sim.pause();
}

/* The memory is another process's from here on: in the child of a fork. */
void
fg_lines_clear(void)
{
	memset(table, 0, room * sizeof *table);
	used = 0;
	fg_charge_turn++;
}
