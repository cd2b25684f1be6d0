/* Above: the functions that the floors above exec give it (floor: exec; called by exec, set when the library is loaded
 * by team/boot/start.c, team/boot/sched_option.c and team/boot/stuck.c). NULL: nothing. */
#pragma once
#include <stdbool.h>

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
	/* The next three are set where FGOMP_STUCK asks for a report (src/stuck). A donor has been made; NULL: a worker
	 * is going to be started. */
	void (*made)(struct fg_identity *donor);
	/* The identity is going to end. This comes before `forget`. */
	void (*gone)(struct fg_identity *identity);
	/* For the handler of the signal that preempts. True: a signal with this value was a question of the report. */
	bool (*answer)(const void *value, const void *signal_context);
	/* Binds the worker's kernel thread to this place: the floor above knows the places. */
	void (*rebind)(struct fg_worker *worker, unsigned place);
	/* Set before the inner levels come: the policy for a level of these kinds (fg_runqueue.kinds), below a level
	 * that has `above`. */
	struct fg_policy *(*policy)(unsigned kinds, struct fg_policy *above);
};
/* Hidden, as the table of hooks. */
extern struct fg_exec_above fg_exec_above __attribute__((visibility("hidden")));

/* The identity is going to end. */
static inline void
fg_exec_forget(struct fg_identity *identity)
{
	if (fg_exec_above.gone)
		fg_exec_above.gone(identity);
	if (fg_exec_above.forget)
		fg_exec_above.forget(identity);
}
