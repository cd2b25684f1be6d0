/* Rows of a taskloop: each row is over once, after all rows that were split from it, and its memory is given back then.
 * The thread that ends the last one sees what the tasks of all have written.
 *
 * Sources: team/tasks/store.c
 */
#include "base/carrier.h"
#include "interleave/model.h"
#include "team/tasks/row.h"

#define ROWS 4
static struct fg_deferred row[ROWS];
static struct fg_store store[3];
static struct fg_atomic_ptr given[ROWS]; /* to the thief of this row */
static unsigned worked[ROWS], over[ROWS];
/* The rows split from this one, and from those, and itself: a bit for each. */
static const unsigned within[ROWS] = {0xf, 0x2, 0xc, 0x8};

/* As run.c does it. */
static void
leave(struct fg_deferred *task, struct fg_store *own)
{
	struct fg_deferred *whole;
	for (; task; task = whole) {
		bool last = fg_task_row_leave(task, &whole);
		if (!last && !model_broken("a row does not wait for those split from it"))
			return;
		unsigned k = (unsigned)(task - row);
		for (unsigned other = 0; other < ROWS; other++)
			model_assert(!(within[k] >> other & 1) || worked[other] == 1);
		over[k]++;
		fg_store_put(own, &task->block);
	}
}

static void
split(unsigned k, struct fg_deferred *whole)
{
	fg_task_row_split(&row[k], whole);
	fg_store_release(&given[k], &row[k]);
}

static struct fg_deferred *
take(unsigned k)
{
	struct fg_deferred *task;
	while (!(task = fg_load_acquire(&given[k])))
		fg_carrier->pause();
	return task;
}

static void
setup(void)
{
	for (unsigned k = 0; k < ROWS; k++) {
		row[k].block.store = &store[0];
		row[k].block.kind = FG_BLOCK_256;
	}
	fg_task_row_split(&row[0], NULL);
}

/* The first row gives away two others. The second of these gives away the last. */
static void
first(void)
{
	split(1, &row[0]);
	split(2, &row[0]);
	worked[0] = 1;
	leave(&row[0], &store[0]);
}

static void
second(void)
{
	struct fg_deferred *task = take(2);
	split(3, task);
	worked[2] = 1;
	leave(task, &store[1]);
}

static void
third(void)
{
	struct fg_deferred *task = take(1);
	worked[1] = 1;
	leave(task, &store[2]);
	task = take(3);
	worked[3] = 1;
	leave(task, &store[2]);
}

static void
check(void)
{
	unsigned back = store[0].count[FG_BLOCK_256];
	for (struct fg_block *block = fg_load_relaxed(&store[0].returned); block; block = block->next)
		back++;
	for (unsigned k = 0; k < ROWS; k++)
		model_assert(over[k] == 1);
	model_assert(back == ROWS);
}
MODEL_SCENARIO(rows, .setup = setup, .thread = {first, second, third}, .check = check,
	       .broken = MODEL_BROKEN("weaken fg_task_row_leave:sub_acq_rel", "drop fg_task_row_leave:sub_acq_rel",
				      "drop fg_task_row_split:add_relaxed",
				      "fault a row does not wait for those split from it"));
