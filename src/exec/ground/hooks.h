/* Hooks: the calls that go up from a sub-floor to one above it (floor: exec; top/hooks.c has the one table). All
 * other calls go down. None of the hooks is on a fast path. A worker calls one when it is idle, when it is asked, when
 * it comes back, or before it starts a donor. Two are others: `alternate` is called as the program sets such a stack,
 * and the kernel calls on_tick. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct fg_bubble;
struct fg_identity;
struct fg_worker;

struct fg_exec_hooks {
	void (*carry)(void);			     /* loop: the endless work of a free donor */
	void (*come_back)(struct fg_identity *self); /* relief: the thread is held, or its worker was taken */
	void *(*own_tls)(void);			     /* relief: the thread pointer of the kernel thread's own pthread */
	/* flat: answers a request for a member. `staying` threads are ready here, but in no list yet. */
	void (*lend)(struct fg_worker *worker, unsigned staying);
	void (*ask)(struct fg_worker *idle);	   /* flat: an idle worker requests a member */
	void (*pass_on)(struct fg_worker *worker); /* flat: a wake-up for a task goes to another worker */
	/* nested: the two orders of a donor. It runs members that are born now, or it is again the member that it
	 * was. */
	void (*populate)(struct fg_identity *self, struct fg_bubble *bubble);
	void (*rejoin)(struct fg_identity *self, struct fg_bubble *bubble);
	/* helpers: whether a member that waits here could run a task now; and the member to switch to for that. */
	bool (*called_here)(struct fg_worker *worker);
	struct fg_identity *(*take)(struct fg_worker *worker, struct fg_identity *self);
	void (*monitor_wake)(void); /* watch: the monitor sleeps and must wake */
	void (*monitor_start)(struct fg_identity *self);
	void (*alternate)(size_t size); /* watch: the program sets an alternate stack for signals */
	void (*on_tick)(int signal, siginfo_t *info, void *context); /* watch: the handler of the signal */
};
/* Hidden visibility, because a call through the table is then one instruction. */
extern const struct fg_exec_hooks fg_exec_hooks __attribute__((visibility("hidden")));
