/* A loop whose groups take batches of chunks: each chunk is given once, and the chunks of a member rise. Iterations may
 * wait for their turns, and members may be moved to workers of other groups. Then all come to an end, too. A member may
 * also wait in vain for the one that takes a batch, and go on with single pieces.
 *
 * Sources: team/share/batches.c team/share/parts.c
 * Constants: team/share/parts.c FEWEST_CHUNKS=1
 * Constants: team/share/batches.c TURNS=2 MANY=1
 */
#include "team/share/batches.h"
#include "exec/flat/groups.h"
#include <stdlib.h>

#include "exec/thread/root_state.h"
#include "exec/thread/worker.h"
#include "interleave/model.h"

#define MOST_CHUNKS 12

_Thread_local struct fg_identity *fg_self_pointer;
static struct fg_worker worker[3];
static struct fg_identity member[3];
static struct fg_root root;
static struct fg_team team;
static struct fg_groups groups;
static struct fg_workshare share;
static struct fg_atomic_u32 given[MOST_CHUNKS];
static struct fg_atomic_u64 turn;
static uint16_t inner[3];
static unsigned chunks;
static bool ordered, moves;

void
fg_come_back(struct fg_identity *self)
{
	(void)self;
	model_fail("nobody holds a thread here");
}

void
fg_watch(struct fg_identity *self, bool program)
{
	(void)self, (void)program;
}

bool
fg_lock_order_none(const char *what)
{
	(void)what;
	return true;
}

static void
set_up(unsigned size, unsigned n_chunks, bool guided, unsigned a, unsigned b, unsigned c)
{
	inner[0] = (uint16_t)a;
	inner[1] = (uint16_t)b;
	inner[2] = (uint16_t)c;
	groups.slots = size;
	groups.n_inner = 2;
	groups.inner = inner;
	root.groups = &groups;
	member[0].root = &root;
	team.mode = FG_TEAM_DOCKED;
	team.primary = &member[0];
	for (unsigned i = 0; i < 3; i++) {
		worker[i].slot = i;
		member[i].worker = &worker[i];
	}
	chunks = n_chunks;
	share.size = size;
	share.trips = n_chunks;
	share.chunk = 1;
	model_assert(fg_batches_set_up(&share, &team, 1, guided));
}

static void
run(uint64_t chunk)
{
	model_assert(chunk < chunks);
	fg_add_relaxed(&given[chunk], 1);
	if (!ordered)
		return;
	while (fg_load_acquire(&turn) != chunk)
		fg_cpu_pause();
	fg_store_release(&turn, chunk + 1);
}

static void
take(unsigned number)
{
	struct fg_identity *self = &member[number];
	uint64_t first, count, least = 0;
	fg_self_pointer = self;
	while (fg_batches_next(self, &share, &first, &count)) {
		model_assert(first >= least);
		least = first + count;
		for (uint64_t chunk = first; chunk < least && chunk < chunks; chunk++)
			run(chunk);
		if (moves)
			self->worker = &worker[(self->worker->slot + 1) % 3];
		if (model_broken("another word"))
			self->thread.static_trip &= -256;
		if (model_broken("any piece"))
			self->thread.static_trip &= 255;
	}
	model_assert(!fg_batches_next(self, &share, &first, &count));
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
	free(share.parts);
}

/* Two members of one group. Batches are taken ahead. */
static void
setup_one_group(void)
{
	set_up(2, 6, false, 0, 0, 0);
}
MODEL_SCENARIO(batches_one_group, .setup = setup_one_group, .thread = {first, second}, .check = check,
	       .broken = MODEL_BROKEN("drop fetch:store_release", "drop fetch_ahead:store_release",
				      "drop add:add_relaxed", "fault any piece"));

/* Three members of two groups, whose pieces have two chunks at first. */
static void
setup_guided(void)
{
	set_up(3, 7, true, 0, 0, 1);
}
MODEL_SCENARIO(batches_guided, .setup = setup_guided, .thread = {first, second, third}, .check = check,
	       .broken = MODEL_BROKEN("drop take:cas_acquire", "drop fetch:store_release", "drop add:add_relaxed"));

/* Iterations wait for their turns. */
static void
setup_ordered(void)
{
	set_up(3, 7, false, 0, 0, 1);
	ordered = true;
}
MODEL_SCENARIO(batches_ordered, .setup = setup_ordered, .thread = {first, second, third}, .check = check,
	       .broken = MODEL_BROKEN("drop fetch:store_release", "drop fetch_ahead:store_release"));

/* The same, and members go to workers of other groups. */
static void
setup_moved(void)
{
	set_up(3, 6, false, 0, 0, 1);
	ordered = moves = true;
}
MODEL_SCENARIO(batches_moved, .setup = setup_moved, .thread = {first, second, third}, .check = check,
	       .broken = MODEL_BROKEN("fault another word", "drop fetch_ahead:store_release"));
