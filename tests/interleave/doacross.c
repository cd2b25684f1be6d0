/* Doacross loops and ordered loops: members of a team wait for each other's iterations. They are threads of the program
 * here, which sleep in the kernel. The loop around is no part of it.
 *
 * Sources: team/share/doacross.c team/share/ordered.c
 * Constants: exec/loop/park.c KERNEL_SPIN_NS=0
 * With: floor
 */
#include "team/share/doacross.h"
#include "interleave/floor.h"
#include "interleave/model.h"
#include "team/share/ordered.h"
#include "platform/membarrier.h"
#include "team/share/reduction.h"

static struct fg_workshare share;

/* The construct is set up already. */
struct fg_workshare *
fg_workshare_enter_slow(struct fg_identity *self, bool *first)
{
	*first = true;
	return self->thread.share = &share;
}

struct fg_workshare *
fg_workshare_in_reserve(struct fg_team *team, uint64_t number)
{
	(void)team, (void)number;
	model_fail("there is memory here");
}

void
fg_workshare_publish(struct fg_identity *self, struct fg_workshare *entered)
{
	(void)self, (void)entered;
}

void
fg_workshare_memory(struct fg_workshare *entered, bool first, void **memory)
{
	(void)entered, (void)first, (void)memory;
}

void
fg_loop_resolve(struct fg_loop *loop)
{
	(void)loop;
}

void
fg_loop_set_up(struct fg_workshare *entered, const struct fg_loop *loop)
{
	(void)entered, (void)loop;
}

void
fg_loop_give_all(struct fg_workshare *entered)
{
	(void)entered;
	model_fail("there is memory here");
}

bool
fg_loop_next_other(struct fg_identity *self, struct fg_workshare *entered, uint64_t *from, uint64_t *to)
{
	(void)self, (void)entered, (void)from, (void)to;
	model_fail("there is no next chunk here");
}

void
fg_reduction_workshare_begin(struct fg_identity *self, struct fg_workshare *entered, bool first, uintptr_t *reductions)
{
	(void)self, (void)entered, (void)first, (void)reductions;
	model_fail("there is no reduction here");
}

/* Three rows of two iterations, a row for each member. */
#define ROWS 3
#define COLUMNS 2
static unsigned cell[ROWS][COLUMNS];

static struct fg_identity *
become_member(unsigned number)
{
	struct fg_identity *self = &floor_root(false)->identity;
	fg_leave(self);
	self->thread.share = &share;
	self->thread.num = number;
	return self;
}

static void
setup_rows(void)
{
	floor_setup();
	fg_membarrier_usable = true;
	share = (struct fg_workshare){.trips = ROWS, .chunk = 1, .step = 1, .end = ROWS, .size = ROWS,
				      .kind = FG_SHARE_STATIC_CHUNKS};
	struct fg_identity *self = &floor_root(false)->identity;
	struct fg_loop loop = {0};
	fg_leave(self);
	fg_doacross_start(self, 2, (const uint64_t[]){ROWS, COLUMNS}, &loop, NULL, NULL, NULL, NULL);
	model_assert(share.doacross != NULL);
}

static void
wait_for(struct fg_identity *self, uint64_t row, ...)
{
	va_list rest;
	va_start(rest, row);
	fg_doacross_wait(self, row, rest);
	va_end(rest);
}

static void
post_row(unsigned row)
{
	struct fg_identity *self = become_member(row);
	for (uint64_t k = 0; k < COLUMNS; k++) {
		cell[row][k] = 1;
		fg_doacross_post(self, (const uint64_t[]){row, k});
	}
}

static void
wait_cell(unsigned member, uint64_t row, uint64_t column)
{
	wait_for(become_member(member), row, column);
	model_assert(cell[row][column] == 1);
}

static void
poster(void)
{
	post_row(0);
}

static void
waits_last(void)
{
	wait_cell(1, 0, 1);
}

static void
waits_first(void)
{
	wait_cell(2, 0, 0);
}

MODEL_SCENARIO(doacross_last, .setup = setup_rows, .thread = {poster, waits_last},
	       .broken = MODEL_BROKEN("weaken fg_doacross_post:store_release", "weaken not_done:load_acquire",
				      "drop fg_await_announce:store_relaxed", "fault no heavy fence",
				      "drop fg_doacross_wake:fence_seq_cst", "drop still_waits:store_relaxed",
				      "drop still_waits:fence_seq_cst", "drop wake"));
/* One of the two waits for a post that comes before the other's. */
MODEL_SCENARIO(doacross_two, .setup = setup_rows, .thread = {poster, waits_last, waits_first}, .weight = 2,
	       .broken = MODEL_BROKEN("weaken fg_doacross_post_slow:store_release",
				      "drop fg_await_announce:store_relaxed", "fault no heavy fence",
				      "drop still_waits:store_relaxed", "drop wake"));

/* A chain: each row waits for the one before. */
static void
chain(unsigned row)
{
	struct fg_identity *self = become_member(row);
	if (row) {
		wait_for(self, row - 1, (uint64_t)0);
		model_assert(cell[row - 1][0] == 1);
	}
	cell[row][0] = 1;
	fg_doacross_post(self, (const uint64_t[]){row, 0});
}

static void
chain_0(void)
{
	chain(0);
}

static void
chain_1(void)
{
	chain(1);
}

static void
chain_2(void)
{
	chain(2);
}
MODEL_SCENARIO(doacross_chain, .setup = setup_rows, .thread = {chain_0, chain_1, chain_2}, .weight = 2,
	       .broken = MODEL_BROKEN("fault no heavy fence", "drop still_waits:store_relaxed", "drop wake"));

/* Turns of an ordered loop, an iteration each. */
static unsigned turns;

static void
setup_turns(void)
{
	floor_setup();
	fg_membarrier_usable = true;
	share = (struct fg_workshare){.trips = ROWS, .chunk = 1, .step = 1, .end = ROWS, .size = ROWS,
				      .kind = FG_SHARE_STATIC_CHUNKS};
	model_assert(fg_ordered_set_up(&share));
}

static void
turn(unsigned member)
{
	struct fg_identity *self = become_member(member);
	uint64_t from = member, to = member + 1;
	fg_ordered_record(self, &share, true, &from, &to);
	fg_ordered_begin(self);
	model_assert(turns == member);
	turns++;
	fg_ordered_end(self);
}

static void
turn_0(void)
{
	turn(0);
}

static void
turn_1(void)
{
	turn(1);
}

static void
turn_2(void)
{
	turn(2);
}
MODEL_SCENARIO(ordered_turns, .setup = setup_turns, .thread = {turn_0, turn_1, turn_2}, .weight = 2,
	       .broken = MODEL_BROKEN("weaken turn_release:exchange_acq_rel", "weaken wait_goes_on:load_acquire",
				      "drop fg_await_announce:store_relaxed", "fault no heavy fence", "drop wake"));
