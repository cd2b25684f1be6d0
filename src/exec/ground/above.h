/* Above: the functions of the floor team that exec calls (floor: exec; called by exec; team/boot/hooks.c has the one
 * table). The other tables by which calls go up are hooks.h beside this, base/above.h, sched/world.h and
 * team/hooks.h.
 *
 * The caller is inside the runtime. Only `forget`, `forget_root`, `last` and `made` may be called outside, too. It
 * holds no lock but where a comment below says so. `answer` and `sample` run in a signal handler; `waiting`, `past` and
 * `rebind` may. The table is a constant. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct fg_cpuset;
struct fg_identity;
struct fg_policy;
struct fg_worker;

/* The tasks of a region, which its docked threads, and threads that have ended their members, run while they wait. A
 * job is the region's team. */
struct fg_help {
	/* There may be something to do for members of the team `job`. The function only looks: any thread of the worker
	 * may ask, even with a lock held. */
	bool (*waiting)(void *job);
	/* All tasks that were made before the barrier of this phase are done, and some member has gone on. */
	bool (*past)(void *job, uint32_t phase);
	/* A thread was woken for a task, and does not run it. Perhaps the task still waits. The function wakes another
	 * worker, not `but`. */
	void (*call)(void *job, const struct fg_worker *but);
	/* Runs all tasks that there are now. Returns the number of turns of the wait until the next look. */
	unsigned (*run)(struct fg_identity *self);
	/* The primary thread calls this when all members have reached the end. Returns when no more tasks will come. */
	void (*finish)(struct fg_identity *self);
	/* As `run`. The caller is a thread that was this member of `job`, and may be so again (nested/rejoin.h). */
	unsigned (*come_back)(void *job, unsigned member);
};

struct fg_exec_above {
	struct fg_help help;
	/* Frees what the floor above keeps in identity.thread of a root that ends. */
	void (*forget_root)(struct fg_identity *self);
	/* Frees what it keeps for an identity that is going to end; and what is in the running pthread's own variables,
	 * which ends. */
	void (*forget)(struct fg_identity *identity);
	void (*last)(void);
	/* For FGOMP_STUCK and FGOMP_MEMORY. A donor has been made; NULL: a worker is going to be started. */
	void (*made)(struct fg_identity *donor);
	/* For the handler of the signal that preempts. True: a signal with this value was a question of the report. */
	bool (*answer)(const void *value, const void *signal_context);
	/* The same handler, outside the runtime: time for a sample of FGOMP_MEMORY. */
	void (*sample)(const struct fg_identity *self, const void *signal_context);
	/* The simulated machine's way to a sample: a PU of this node is going through the memory there. */
	void (*touched)(uintptr_t address, unsigned node, bool writes, unsigned times);
	/* A root is about to begin a flat region, and pages are to be moved. */
	void (*repair)(void);
	/* The runtime's threads end: so does that of FGOMP_MEMORY, until `made` is called again. */
	void (*stop)(void);
	/* Binds the caller's kernel thread, because the floor above knows the places (team/places/bind.h). A bucket of
	 * the parking lot may be locked. */
	unsigned (*rebind)(unsigned bound, unsigned place, struct fg_cpuset *program, bool of_program);
	/* The policy for a level of these kinds (fg_runqueue.kinds), below a level that has `above`. The lock of the
	 * machine's runqueues is held. */
	struct fg_policy *(*policy)(unsigned kinds, struct fg_policy *above);
};
/* Hidden, as the table of hooks. */
extern const struct fg_exec_above fg_exec_above __attribute__((visibility("hidden")));
