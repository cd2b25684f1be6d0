/* Stuck: the two tables by which the library and the report of FGOMP_STUCK use each other (floor: team; called by
 * boot/start.c, boot/process_fork.c and boot/stuck.c, used by the files of src/stuck).
 *
 * The report is a shared object of its own beside the library, because few programs ask for it. The library opens the
 * object at its start where FGOMP_STUCK is set. The library exports nothing for it, because a program could meet such
 * names. So each of the two hands the other a table.
 *
 * Both tables are constants. The watcher calls fg_library on its own thread, which has no identity and takes no lock
 * that a member may hold. Each function of the object says which thread of the library calls it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exec/ground/options.h"
#include "exec/thread/identity.h"
#include "platform/sandbox.h"
#include "team/region/teams.h"
#include "team/tasks/pool.h"

struct fg_carrier;
struct fg_lock;

/* A function within an entry point of the library, and the name of that entry point. */
struct fg_stuck_call {
	uintptr_t function;
	const char *name;
};

/* What the object uses of the library. */
struct fg_stuck_library {
	struct fg_atomic_ptr *all_workers;
	struct fg_atomic_u32 *teams_on_stacks;
	const struct fg_exec_options *options;
	const struct fg_carrier *carrier;
	const void *critical_lock, *atomic_lock; /* of constructs without a name */
	const struct fg_stuck_call *calls;	 /* from the inner to the outer ones */
	unsigned n_calls;
	uintptr_t region; /* fg_region */
	void (*report)(const char *format, ...) __attribute__((format(printf, 1, 2)));
	struct fg_runqueue *(*levels_top)(void);
	uint64_t (*lock_owner_of)(const struct fg_lock *lock);
	bool (*sandbox_allows)(enum fg_sandbox_call call);
	int (*thread_id)(void);
	void (*preempt_send)(int tid, const void *value);
	/* Starts the watcher, with all signals blocked. False: there is no thread for it now. */
	bool (*start)(void (*watcher_main)(void *));
	/* A spin lock of the object. The caller may be outside the runtime: then it is inside until the second, which
	 * gets the result of the first. */
	bool (*lock)(struct fg_spinlock *lock);
	void (*unlock)(struct fg_spinlock *lock, bool inside);
};

/* The object was built with the same structures. worker_bytes: of struct fg_whole_worker. */
#define FG_STUCK_LAYOUT(worker_bytes)                                                                                  \
	(sizeof(struct fg_stuck_library) + (sizeof(struct fg_identity) << 10) + ((worker_bytes) << 24) +               \
	 (sizeof(struct fg_team) << 38) + (sizeof(struct fg_task_pool) << 52))

/* What the library uses of the object, which exports it by this one name. */
#define FG_STUCK_OBJECT "fg_stuck_object"
struct fg_stuck_object {
	uint64_t layout;
	const char *version;
	void (*begin)(const struct fg_stuck_library *library, uint64_t after_ns);
	/* As in exec/ground/above.h. */
	void (*made)(struct fg_identity *donor);
	void (*gone)(struct fg_identity *identity);
	bool (*answer)(const void *value, const void *signal_context);
	void (*after_fork)(void);
};

extern const struct fg_stuck_library fg_stuck_library;
/* Opens the object, which reports a region that has not moved for so long. Called when the library is loaded. */
void fg_stuck_open(uint64_t after_ns);
void fg_stuck_after_fork(void);
/* Each passes on to the object, if it is open. exec calls them through its table above.h. */
void fg_stuck_made(struct fg_identity *donor);
void fg_stuck_gone(struct fg_identity *identity);
bool fg_stuck_answer(const void *value, const void *signal_context);
