/* Hooks: the calls that go up from a sub-floor to one above it (floor: exec; used by thread, body, donor, root, grant,
 * loop, move and watch; top/hooks.c has the one table). All other calls go down. `glance` stays within grant and
 * `on_tick` within watch, because two files there would use each other in a circle. None of the hooks is on a fast
 * path. The caller is inside the runtime, or holds the worker's thread. Others are own_tls and on_tick, which run in
 * signal handlers, monitor_*, `hasten`, `alternate`, and the two of spares, which the monitor calls, too. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct fg_bubble;
struct fg_identity;
struct fg_root;
struct fg_worker;

/* Each comment begins with the caller and the sub-floor that has the function. */
struct fg_exec_hooks {
	/* donor.c to loop: the endless work of a free donor. */
	void (*carry)(void);
	/* self.c to relief: the thread enters the runtime, and is held or its worker was taken. */
	void (*come_back)(struct fg_identity *self);
	/* glibc.c to relief: the thread pointer of the kernel thread's own pthread. */
	void *(*own_tls)(void);
	/* loop.c to flat: answers a request for a member. `staying` threads are ready here, but in no list yet. */
	void (*lend)(struct fg_worker *worker, unsigned staying);
	/* loop.c to flat: an idle worker requests a member. */
	void (*ask)(struct fg_worker *idle);
	/* ride.c to relief: the caller's worker boards the kernel thread of `head`. ride.c and grant.c: take an idle
	 * spare, or NULL, and let it carry a rider. */
	void (*board)(struct fg_identity *self, struct fg_worker *head);
	void *(*reserve)(void);
	void (*resume)(void *spare, struct fg_worker *worker);
	/* loop.c to flat: a wake-up for a task goes to another worker. */
	void (*pass_on)(struct fg_worker *worker);
	/* loop.c to nested: the two orders of a donor. It runs members that are born now, or it is again the member
	 * that it was. */
	void (*populate)(struct fg_identity *self, struct fg_bubble *bubble);
	void (*rejoin)(struct fg_identity *self, struct fg_bubble *bubble);
	/* loop.c and idle.c to helpers: true if a member that waits here could run a task now. */
	bool (*called_here)(struct fg_worker *worker);
	/* loop.c to helpers: that member, or NULL; `self` is as in helpers.h. */
	struct fg_identity *(*take)(struct fg_worker *worker, struct fg_identity *self);
	/* root.c to flat: the root's thread ends. */
	void (*give_up)(struct fg_root *root);
	/* root.c to top: no thread of the program is left that could open a region of its own; the caller ends. */
	bool (*end_threads)(struct fg_identity *self);
	/* doorbell.c to watch: the monitor sleeps and must wake; the monitor must run, and the caller is outside
	 * meanwhile. */
	void (*monitor_wake)(void);
	void (*monitor_start)(struct fg_identity *self);
	/* ride.c to grant.c: the worker rides. Has the process's mask changed? */
	bool (*glance)(struct fg_worker *worker);
	/* ready.c to move: a policy has sent or stopped the thread, which would become ready. true: it is stopped, and
	 * is kept. */
	bool (*keep)(struct fg_identity *thread);
	/* move.c to watch: a policy has sent or stopped the thread, which this worker carries. */
	void (*hasten)(struct fg_worker *worker, const struct fg_identity *thread);
	/* alternate.c to watch: the program sets an alternate stack for signals. */
	void (*alternate)(size_t size);
	/* preempt_signal.c to watch: the handler of the signal. */
	void (*on_tick)(int signal, siginfo_t *info, void *context);
};
/* Hidden visibility, because a call through the table is then one instruction. */
extern const struct fg_exec_hooks fg_exec_hooks __attribute__((visibility("hidden")));
