/* Above: the functions that the floors above exec give it (floor: exec; called by exec, set when the library is loaded
 * by team/boot/start.c and team/boot/sched_option.c). NULL: nothing. */
#pragma once

struct fg_identity;
struct fg_policy;
struct fg_worker;

struct fg_exec_above {
	/* Frees what the floor above keeps in identity.thread of a root that ends. */
	void (*forget_root)(struct fg_identity *self);
	/* Frees what it keeps for an identity that is going to end; and what is in the running pthread's own variables,
	 * which ends. */
	void (*forget)(struct fg_identity *identity);
	void (*last)(void);
	/* A donor has been made; NULL: a worker is going to be started. Set by watch/stuck.c, where the user asks for
	 * it. */
	void (*made)(struct fg_identity *donor);
	/* Binds the worker's kernel thread to this place: the floor above knows the places. */
	void (*rebind)(struct fg_worker *worker, unsigned place);
	/* Set before the inner levels come: the policy for a level of these kinds (fg_runqueue.kinds), below a level
	 * that has `above`. */
	struct fg_policy *(*policy)(unsigned kinds, struct fg_policy *above);
};
/* Hidden, as the table of hooks. */
extern struct fg_exec_above fg_exec_above __attribute__((visibility("hidden")));
