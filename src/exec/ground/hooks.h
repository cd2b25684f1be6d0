/* Hooks: the calls that go up from a sub-floor to one above it (floor: exec; top/hooks.c has the one table). All other
 * calls go down. None of these is on a fast path: a worker makes them that is idle, asked or comes back, or that is
 * about to start a donor. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct fg_bubble;
struct fg_identity;
struct fg_worker;

struct fg_exec_hooks {
	/* loop: a free donor does this for ever. */
	void (*carry)(void);
	/* relief: the thread is held, or its worker was taken. */
	void (*come_back)(struct fg_identity *self);
	/* relief: the thread pointer of the kernel thread's own pthread; NULL: the caller has it. */
	void *(*own_tls)(void);
	/* flat: the worker gives a member to the one that has asked for it; an idle worker asks. */
	void (*lend)(struct fg_worker *worker, unsigned staying);
	void (*ask)(struct fg_worker *idle);
	/* flat: a wake-up for a task goes to another worker. */
	void (*pass_on)(struct fg_worker *worker);
	/* nested: a donor's order says that it runs members that are born now, or is again the member that it was. */
	void (*populate)(struct fg_identity *self, struct fg_bubble *bubble);
	void (*rejoin)(struct fg_identity *self, struct fg_bubble *bubble);
	/* helpers: whether a member that waits here could run a task now, and the one to switch to for that. */
	bool (*called_here)(struct fg_worker *worker);
	struct fg_identity *(*take)(struct fg_worker *worker, struct fg_identity *self);
	/* watch: the doorbell. */
	void (*monitor_wake)(void);
	void (*monitor_start)(struct fg_identity *self);
	/* watch: the program sets an alternate stack for signals, of so many bytes. */
	void (*alternate)(size_t size);
	/* watch: the handler of the signal that preempts. */
	void (*on_tick)(int signal, siginfo_t *info, void *context);
};
/* Hidden: a call through it is one instruction. */
extern const struct fg_exec_hooks fg_exec_hooks __attribute__((visibility("hidden")));
