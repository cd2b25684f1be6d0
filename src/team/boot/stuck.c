/* Opening the report of FGOMP_STUCK (floor: team): see team/stuck.h.
 *
 * A program with rights that its caller lacks opens nothing, because the variable does not count there
 * (base/secure.h).
 *
 * start.c opens the object in a constructor. Other files call the functions after that, and each does nothing unless
 * the object is open. `opened.object` is written before there are other threads, and then only read. */

#include "base/carrier.h"
#include "base/log.h"
#include "exec/thread/all_workers.h"
#include "exec/thread/facts.h"
#include "exec/thread/levels.h"
#include "exec/watch/preempt_signal.h"
#include "platform/kernel_mask.h"
#include "platform/thread.h"
#include "team/boot/object.h"
#include "team/lock/critical.h"
#include "team/lock/owner.h"
#include "team/region/region.h"
#include "team/share/doacross.h"
#include "team/share/ordered.h"
#include "team/share/single.h"
#include "team/share/workshare.h"
#include "team/stuck.h"
#include "team/sync/barrier.h"
#include "team/tasks/create.h"
#include "team/tasks/deferred.h"
#include "team/tasks/depend_wait.h"
#include "team/tasks/taskgroup.h"
#include "team/tasks/wait.h"

#define FILE_NAME "libforestgomp-stuck.so"
#define NO_EFFECT "FGOMP_STUCK has no effect: "
#define GOES_ON "the program goes on without the report"

/* These serve a call that ended in a jump to one of these functions, or a library whose file is not there any more. */
static const struct fg_stuck_call calls[] = {
	{(uintptr_t)fg_workshare_leave_barrier, "GOMP_loop_end"},
	{(uintptr_t)fg_single_copy_start, "GOMP_single_copy_start"},
	{(uintptr_t)fg_single_copy_end, "GOMP_single_copy_end"},
	{(uintptr_t)fg_team_barrier, "GOMP_barrier"},
	{(uintptr_t)fg_task_wait_children, "GOMP_taskwait"},
	{(uintptr_t)fg_task_wait_depend, "GOMP_taskwait_depend"},
	{(uintptr_t)fg_taskgroup_end, "GOMP_taskgroup_end"},
	{(uintptr_t)fg_task_create, "GOMP_task"},
	{(uintptr_t)fg_task_defer, "GOMP_task"},
	{(uintptr_t)fg_nest_lock_set, "omp_set_nest_lock"},
	{(uintptr_t)fg_lock_slow, "omp_set_lock"},
	{(uintptr_t)fg_ordered_wait, "GOMP_ordered"},
	{(uintptr_t)fg_ordered_wait_long, "GOMP_ordered"},
	{(uintptr_t)fg_ordered_begin, "GOMP_ordered"},
	{(uintptr_t)fg_ordered_pass_on, "GOMP_ordered"},
	{(uintptr_t)fg_doacross_wait_slow, "GOMP_doacross"},
	{(uintptr_t)fg_region, "GOMP_parallel"},
	{(uintptr_t)fg_region_end, "GOMP_parallel"},
};

static bool
watcher_start(void (*watcher_main)(void *))
{
	uint64_t mask = fg_mask_now();
	fg_mask_set(FG_MASK_ALL);
	int error = fg_carrier->start(watcher_main, NULL, "fg-stuck");
	fg_mask_set(mask);
	return error == 0;
}

static bool
lock(struct fg_spinlock *lock)
{
	bool inside = fg_enter_again(fg_self());
	fg_spinlock_lock(lock);
	return inside;
}

static void
unlock(struct fg_spinlock *lock, bool inside)
{
	fg_spinlock_unlock(lock);
	fg_leave_again(fg_self(), inside);
}

const struct fg_stuck_library fg_stuck_library = {
	.all_workers = &fg_all_workers.first,
	.teams_on_stacks = &fg_teams.on_stacks,
	.options = &fg_exec_options,
	.carrier = &fg_carrier_live,
	.critical_lock = &fg_global_locks.critical,
	.atomic_lock = &fg_global_locks.atomic,
	.calls = calls,
	.n_calls = sizeof calls / sizeof *calls,
	.region = (uintptr_t)fg_region,
	.report = fg_report,
	.levels_top = fg_levels_top,
	.lock_owner_of = fg_lock_owner_of,
	.sandbox_allows = fg_sandbox_allows,
	.thread_id = fg_thread_id,
	.preempt_send = fg_preempt_send,
	.start = watcher_start,
	.lock = lock,
	.unlock = unlock,
};

static struct {
	const struct fg_stuck_object *object;
	bool no_effect; /* it was asked for on a carrier that shares one kernel thread, and nobody was told */
} opened;

static const struct fg_stuck_object *
table_find(void)
{
	return fg_object_open(FILE_NAME, FG_STUCK_OBJECT, FG_STUCK_LAYOUT(fg_worker_bytes()), NO_EFFECT, GOES_ON);
}

static void
begin(uint64_t after_ns)
{
	fg_lock_note = fg_lock_owner_note;
	/* A thread that waits must sleep before the watcher reports, because a thread that spins does not show its
	 * reason. */
	if (fg_exec_options.spin_ns > after_ns / 4)
		fg_exec_options.spin_ns = after_ns / 4;
	opened.object->begin(&fg_stuck_library, after_ns);
}

void
fg_stuck_made(struct fg_identity *donor)
{
	if (opened.object)
		opened.object->made(donor);
	else if (__builtin_expect(opened.no_effect, 0)) { /* the runtime is about to make its first thread */
		opened.no_effect = false;
		fg_error("FGOMP_STUCK has no effect here: it is for threads that really run, not for simulated ones");
	}
}

void
fg_stuck_gone(struct fg_identity *identity)
{
	if (opened.object)
		opened.object->gone(identity);
}

bool
fg_stuck_answer(const void *value, const void *signal_context)
{
	return opened.object && opened.object->answer(value, signal_context);
}

void
fg_stuck_open(uint64_t after_ns)
{
	if (fg_carrier != &fg_carrier_live) {
		opened.no_effect = true;
		return;
	}
	opened.object = table_find();
	if (opened.object)
		begin(after_ns);
}

void
fg_stuck_after_fork(void)
{
	if (opened.object)
		opened.object->after_fork();
}
