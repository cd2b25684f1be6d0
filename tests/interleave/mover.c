/* The mover: moves are added, forgotten and waited for while its thread carries them out, ends and is started again.
 *
 * Sources: base/lock_order.c base/spinlock.c team/alloc/mover.c
 */
#include "team/alloc/mover.h"

#include "exec/thread/identity.h"
#include "interleave/model.h"
#include "memory/migrate.h"
#include "platform/host.h"
#include "platform/kernel_mask.h"
#include "platform/memory.h"

enum { MOVES = 3, PIECES = 2, FIRST = 16 };

/* The memory of each move, which its thread frees after it has forgotten the moves there. The plain words find a piece
 * that moves later, or two at a time. */
static unsigned pieces[MOVES];
static bool freed[MOVES];

_Thread_local struct fg_identity *fg_self_pointer; /* no thread here has one */

void
fg_watch(struct fg_identity *self, bool program)
{
	(void)self;
	(void)program;
}

void
fg_come_back(struct fg_identity *self)
{
	(void)self;
}

uint64_t
fg_mask_now(void)
{
	return 0;
}

void
fg_mask_set(uint64_t mask)
{
	(void)mask;
}

bool
fg_migrate_some(const struct fg_plan *plan, struct fg_migration *migration)
{
	unsigned number = (unsigned)(plan->first / FIRST);
	model_point("move_pages");
	model_assert(!freed[number]);
	pieces[number]++;
	migration->at++;
	return true;
}

static void
add(unsigned number)
{
	struct fg_plan *plan = fg_memory_zeroed(sizeof *plan);
	plan->first = number * FIRST;
	plan->pages = PIECES;
	fg_mover_add(plan);
}

static void
forget(unsigned number)
{
	size_t page = fg_host_page_size();
	fg_mover_forget((void *)(number * FIRST * page), PIECES * page);
	freed[number] = true;
}

static void
adds_and_waits(void)
{
	add(0);
	fg_mover_wait();
	model_assert(pieces[0] == PIECES);
	add(1);
	fg_mover_wait();
	model_assert(pieces[1] == PIECES);
}

static void
adds_and_forgets(void)
{
	add(2);
	forget(2);
	model_assert(pieces[2] <= PIECES);
}

MODEL_SCENARIO(mover, .thread = {adds_and_waits},
	       .broken = MODEL_BROKEN("drop wake", "weaken next:store_release", "weaken fg_mover_wait:load_acquire"));
MODEL_SCENARIO(mover_two, .thread = {adds_and_waits, adds_and_forgets}, .broken = MODEL_BROKEN("drop wake"));
