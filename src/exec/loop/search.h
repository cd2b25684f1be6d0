/* Search: a worker finds the next thing that it does (floor: exec; called by loop.c).
 *
 * The owner of the worker calls, inside, perhaps in the preemption handler or under a bucket of the parking lot; the
 * comment at fg_search says what it changes. The thing found lies in no list, and in no hand but the caller's. */
#pragma once
#include "exec/thread/identity.h"

/* The kinds of work that come first. The others follow. Without a flag the order is that of search.c: a claim of the
 * root, the docked thread if its wait is over, then the threads that are pinned here. */
struct fg_turn {
	bool unborn;
	bool oldest;	  /* the oldest of them, because a slice is over: the newest have had turns meanwhile */
	bool down;	  /* those on the machine's runqueue before those on the PU's */
	bool docked_last; /* the docked thread goes last, although its wait is over */
	bool early;	  /* members are called for tasks before the threads that are ready */
	bool queue;
	bool above;  /* the runqueues from the machine's down, or threads on the PU's own could keep others from it */
	bool called; /* members are called for tasks in any case, last */
	/* The donor that looks for the next thread, because the call may be for it; or NULL. */
	struct fg_identity *looks;
};

/* What a search has found: a thread that goes on, or a member of a bubble that begins on a free donor. */
struct fg_found {
	struct fg_identity *thread; /* NULL: none */
	struct fg_claim claim;	    /* its bubble is NULL: no member */
	bool stolen;		    /* the policy has found it elsewhere; fg_found_note has yet to note it */
};

/* Looks at the things of the worker: a root's claim, the docked thread, threads, members, and calls for tasks. `donor`:
 * there is a free donor, so a member may be claimed. The owner calls this inside the runtime, perhaps in the preemption
 * handler. A thread that parks calls it with a bucket of the parking lot locked; then `early` and `called` are false.
 * It takes locks of inboxes and runqueues, and calls policies. It changes the worker's docked thread, crew and inbox,
 * sets the level of a thread that it found on a runqueue, and binds the kernel thread to a found thread's place. It
 * neither allocates nor waits, but a policy may allocate from the runtime's memory. The thing found lies in no list any
 * more: the caller must switch to it, or it is lost.
 * fg_search does not steal: loop.c asks the thief after it, sets `stolen`, and calls fg_found_note. */
bool fg_search(struct fg_worker *worker, struct fg_turn turn, bool donor, struct fg_found *found);
/* A hint, for the owner: members of the crew that have not begun, or unborn ones on this PU's runqueue or above. */
bool fg_search_unborn(struct fg_worker *worker);
/* The owner: the docked thread goes on, whether its wait is over or not. */
struct fg_identity *fg_search_docked(struct fg_worker *worker);
/* The owner may ask, or a thread that holds the worker (relief/hold.h). */
bool fg_search_docked_is_ready(struct fg_worker *worker);
/* Notes a theft. A thread that was stolen is found->thread from now on, on its new runqueue. */
void fg_found_note(struct fg_worker *worker, struct fg_found *found);
/* What the donor does that runs the member. Without a member, it looks for the next thing itself. */
struct fg_assignment fg_found_assignment(struct fg_worker *worker, const struct fg_found *found);
