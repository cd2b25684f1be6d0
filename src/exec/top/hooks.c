/* The tables of functions of exec that lower sub-floors and the floor base call (floor: exec): see ground/hooks.h and
 * base/above.h. They are constants, and each of those headers tells which thread may call. */
#include "exec/ground/hooks.h"

#include "base/above.h"
#include "exec/flat/dock.h"
#include "exec/flat/help.h"
#include "exec/flat/lend.h"
#include "exec/grant/grant.h"
#include "exec/helpers/helpers.h"
#include "exec/loop/loop.h"
#include "exec/move/stop.h"
#include "exec/nested/birth.h"
#include "exec/nested/rejoin.h"
#include "exec/relief/board.h"
#include "exec/relief/spare.h"
#include "exec/top/shutdown.h"
#include "exec/watch/hasten.h"
#include "exec/watch/monitor.h"
#include "exec/watch/preempt.h"
#include "exec/watch/preempt_signal.h"

const struct fg_exec_hooks fg_exec_hooks = {
	.carry = fg_worker_carry,
	.come_back = fg_spare_come_back,
	.own_tls = fg_spare_own_tls,
	.lend = fg_lend_answer,
	.ask = fg_lend_ask,
	.board = fg_board,
	.reserve = fg_spare_reserve,
	.resume = fg_spare_resume,
	.pass_on = fg_help_pass_on,
	.populate = fg_births_run,
	.rejoin = fg_rejoin_assigned,
	.called_here = fg_helpers_called_here,
	.take = fg_helpers_take,
	.give_up = fg_dock_give_up,
	.end_threads = fg_shutdown,
	.monitor_wake = fg_monitor_wake,
	.monitor_start = fg_monitor_start,
	.glance = fg_grant_glance,
	.keep = fg_stop_keep,
	.hasten = fg_hasten,
	.alternate = fg_preempt_alternate,
	.on_tick = fg_preempt_on_tick,
};

const struct fg_base_above fg_base_above = {
	.process_ends = fg_monitor_process_ends,
	.preemptible = fg_self_preemptible,
};
