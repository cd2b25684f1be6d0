/* Events. All threads take slots and give them back. One thread alone ends an event.
 *
 * Sources: team/tasks/detach.c
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "interleave/model.h"
#include "team/tasks/detach.h"
#include "team/tasks/memory.h"
#include "team/tasks/task.h"

void *
fg_task_memory(size_t size)
{
	return memset(model_alloc(size), 0, size);
}

void
fg_fatal(const char *format, ...)
{
	model_fail("%s", format);
	abort();
}

/* Both threads end the same event, and then each has an event of its own. */
static struct fg_deferred tasks[3];
static uint64_t shared_event;
static unsigned ended[2];

static void
event_setup(void)
{
	shared_event = fg_detach_new(&tasks[2]);
}

static void
event_ends(unsigned me)
{
	struct fg_deferred *task;
	if (fg_detach_end(shared_event, me ? FG_DETACH_DROPPED : FG_DETACH_FULFILLED, &task) == FG_DETACH_IS_ENDED) {
		model_assert(task == &tasks[2]);
		task->priority++;
		ended[me] = 1;
	}
	uint64_t own = fg_detach_new(&tasks[me]);
	model_assert(fg_detach_end(own, FG_DETACH_FULFILLED, &task) == FG_DETACH_IS_ENDED && task == &tasks[me]);
	model_assert(fg_detach_end(own, FG_DETACH_FULFILLED, &task) != FG_DETACH_IS_ENDED);
}

static void
event_fulfils(void)
{
	event_ends(0);
}

static void
event_drops(void)
{
	event_ends(1);
}

/* At most three events were in use at a time, so there are at most three slots. */
static void
event_check(void)
{
	model_assert(ended[0] + ended[1] == 1);
	for (unsigned i = 0; i < 3; i++)
		model_assert((uint32_t)fg_detach_new(&tasks[i]) <= 3);
}
MODEL_SCENARIO(event, .setup = event_setup, .thread = {event_fulfils, event_drops}, .check = event_check,
	       .broken = MODEL_BROKEN("drop fg_detach_end:cas_acq_rel", "drop slot_take:cas_acq_rel",
				      "drop slot_put:cas_acq_rel", "weaken slot_take:cas_acq_rel",
				      "weaken slot_put:cas_acq_rel"));
