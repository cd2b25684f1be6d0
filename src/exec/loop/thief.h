/* Thief: a worker that looks for work elsewhere (floor: exec; called by loop.c). It waits some turns between two looks,
 * because frequent looks make each of its victim's publications a cache miss. The caller is the worker's owner, inside
 * and without a lock. The state is that of one wait, on its stack. */
#pragma once
#include "exec/loop/idle_mark.h"

struct fg_worker;

struct fg_thief {
	struct fg_worker *worker;
	bool (*ready)(struct fg_worker *worker); /* tells whether the docked thread can go on. NULL: there is none */
	unsigned turn, wait, left;
	bool woken;   /* it was woken, and has not looked since */
	bool carries; /* the caller is a free donor, which can run what is found. Another caller needs one for that */
	struct fg_idle_mark idling;
};

static inline struct fg_thief
fg_thief_new(struct fg_worker *worker, bool (*ready)(struct fg_worker *worker))
{
	return (struct fg_thief){.worker = worker, .ready = ready, .wait = 1, .left = 1};
}

/* One attempt of the policy. true: it has claimed something. */
bool fg_thief_ask(struct fg_thief *thief, struct fg_claim *claim);
/* A turn of the wait: at times an attempt, and later a request for a member of the flat team. */
bool fg_thief_look(struct fg_thief *thief, struct fg_claim *claim);
/* The worker turns to something that it has not stolen. So the thing that it was woken for is left to other workers. */
void fg_thief_turn_away(const struct fg_thief *thief);
