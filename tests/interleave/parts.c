/* A dynamic loop with a counter for each group of workers: each chunk is given once, also where a part runs dry and its
 * members go on in others, and where no member has a part for its own. No counter goes further past its end than
 * members add once. A thread that sees that all members have left sees what they wrote before.
 *
 * Sources: team/share/parts.c
 * Constants: team/share/parts.c FEWEST_CHUNKS=1
 */
#include "exec/thread/whole_worker.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "team/share/parts.h"
#include "exec/flat/groups.h"
#include "exec/thread/root_state.h"
#include "interleave/model.h"

#define MOST_CHUNKS 8

static struct fg_whole_worker whole[3];
static struct fg_identity member[3];
static struct fg_root root;
static struct fg_team team;
static struct fg_groups groups;
static struct fg_workshare share;
static struct fg_atomic_u32 given[MOST_CHUNKS];
static uint16_t inner[3];
static unsigned chunks;

static void
set_up(unsigned n_parts, unsigned n_chunks, unsigned a, unsigned b, unsigned c)
{
	inner[0] = (uint16_t)a;
	inner[1] = (uint16_t)b;
	inner[2] = (uint16_t)c;
	groups.slots = 3;
	groups.n_inner = n_parts;
	groups.inner = inner;
	root.groups = &groups;
	member[0].root = &root;
	team.mode = FG_TEAM_DOCKED;
	team.primary = &member[0];
	for (unsigned i = 0; i < 3; i++) {
		whole[i].worker.slot = i;
		member[i].worker = &whole[i].worker;
	}
	chunks = n_chunks;
	share.size = 3;
	share.trips = n_chunks;
	share.chunk = 1;
	model_assert(fg_parts_set_up(&share, &team, 1) && share.parts->n == n_parts);
}

static void
take(unsigned number)
{
	uint64_t chunk;
	while (fg_parts_next(&member[number], &share, &chunk)) {
		model_assert(chunk < chunks);
		fg_add_relaxed(&given[chunk], 1);
	}
	model_assert(!fg_parts_next(&member[number], &share, &chunk));
}

static void
first(void)
{
	take(0);
}

static void
second(void)
{
	take(1);
}

static void
third(void)
{
	take(2);
}

static void
check(void)
{
	for (unsigned i = 0; i < chunks; i++)
		model_assert(fg_load_relaxed(&given[i]) == 1);
	for (unsigned i = 0; i < share.parts->n; i++) {
		uint64_t own = (chunks - i + share.parts->n - 1) / share.parts->n;
		model_assert(fg_load_relaxed(&share.parts->part[i].next) >= own);
		model_assert(fg_load_relaxed(&share.parts->part[i].next) <= own + share.size);
	}
	free(share.parts);
}

/* Parts of two and one chunk: both members end in the other's part. */
static void
setup_two(void)
{
	set_up(2, 3, 0, 1, 1);
}
MODEL_SCENARIO(parts_two, .setup = setup_two, .thread = {first, second}, .check = check,
	       .broken = MODEL_BROKEN("drop take:add_relaxed"));

static void
setup_three(void)
{
	set_up(2, 4, 0, 0, 1);
}
MODEL_SCENARIO(parts_three, .setup = setup_three, .thread = {first, second, third}, .check = check,
	       .broken = MODEL_BROKEN("drop take:add_relaxed"));

/* The last part belongs to no member. */
static void
setup_strange(void)
{
	set_up(3, 5, 0, 1, 0);
}
MODEL_SCENARIO(parts_strange, .setup = setup_strange, .thread = {first, second}, .check = check,
	       .broken = MODEL_BROKEN("drop take:add_relaxed"));

static void
leave(unsigned number)
{
	take(number);
	fg_parts_leave(&member[number], share.parts);
}

static void
first_leaves(void)
{
	leave(0);
}

static void
second_leaves(void)
{
	leave(1);
}

static void
look(void)
{
	if (fg_parts_leavers(share.parts) != 2)
		return;
	for (unsigned i = 0; i < chunks; i++)
		model_assert(fg_load_relaxed(&given[i]) == 1);
}

static void
check_left(void)
{
	model_assert(fg_parts_leavers(share.parts) == 2);
	check();
}

static void
setup_leave(void)
{
	set_up(2, 2, 0, 1, 0);
}
MODEL_SCENARIO(parts_leave, .setup = setup_leave, .thread = {first_leaves, second_leaves, look}, .check = check_left,
	       .broken = MODEL_BROKEN("weaken fg_parts_leave:add_acq_rel", "weaken fg_parts_leavers:load_acquire",
				      "drop fg_parts_leave:add_acq_rel"));
