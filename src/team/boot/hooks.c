/* The two tables of functions that lower floors and folders call (floor: team); see hooks.h and exec/ground/above.h.
 * Those headers tell the callers and their context. Both tables are constants. */
#include "team/hooks.h"

#include "exec/ground/above.h"
#include "team/boot/ends.h"
#include "team/boot/sched_option.h"
#include "team/places/bind.h"
#include "team/region/helping.h"
#include "team/share/doacross.h"
#include "team/samples.h"
#include "team/stuck.h"
#include "team/tasks/pool_end.h"
#include "team/tasks/wait.h"

const struct fg_team_hooks fg_team_hooks = {
	.pool_free = fg_task_pool_free,
	.doacross_free = fg_doacross_free,
};

static void
made(struct fg_identity *donor)
{
	fg_stuck_made(donor);
	if (!donor)
		fg_samples_made();
}

const struct fg_exec_above fg_exec_above = {
	.help = {.waiting = fg_helping_waiting,
		 .past = fg_helping_past,
		 .call = fg_helping_call,
		 .run = fg_task_help,
		 .finish = fg_task_finish,
		 .come_back = fg_helping_come_back},
	.forget_root = fg_ends_root,
	.forget = fg_ends_identity,
	.last = fg_ends_pthread,
	.made = made,
	.answer = fg_stuck_answer,
	.sample = fg_samples_tick,
	.touched = fg_samples_touched,
	.repair = fg_samples_repair,
	.stop = fg_samples_stop,
	.rebind = fg_place_rebind,
	.policy = fg_scheduler_of_level,
};
