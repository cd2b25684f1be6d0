/* Actor (floor: sim; used by the files that let actors go on): a kernel thread of the simulated machine, see
 * actors.c. */
#pragma once
#include "sim/sim.h"
#include "sim/turns.h"

#define LOOK_NS 200 /* a turn of a spinning loop that takes longer does more than look */

enum state { READY, WAITING, ENDED };

struct actor {
	struct fg_context context; /* valid while the actor does not run */
	enum state state;
	struct fg_turn turn; /* among the actors that can go on, unless it runs */
	uint64_t clock;	     /* that of the running actor is fg_sim.clock */
	unsigned pu;
	int core; /* the core where it is awake; -1: it sleeps, or slows no other actor */
	bool spins, searches;
	struct fg_atomic_u32 *word; /* the word that it waits for */
	uint64_t deadline;	    /* 0: none */
	uint64_t changes_seen, quiet_since, paused_from;
	unsigned quiet;		  /* turns of its spinning in which no line changed that its PU has */
	struct fg_identity *last; /* the identity that ran here last */
	uint64_t steals;	  /* its worker's steals that are counted already */
	bool outside;		  /* it is on no PU, and no actor waits for it */
	uint64_t events[FG_COUNT_KINDS];
	void (*start)(void *);
	void *arg;
	struct actor *next;
};

extern struct fg_actors {
	struct actor first; /* the program's first kernel thread, from which all are linked */
	struct actor *last;
	struct fg_turns turns; /* of those that can go on */
	bool prepared;	       /* for a fork of the process */
} fg_actors;
extern struct actor *fg_actor; /* the one that runs */

/* Returns the time for computing where PUs share a core. */
uint64_t fg_actor_slowed(uint64_t ns);
/* The actor is awake on that core from now on; -1: it sleeps. */
void fg_actor_awake(struct actor *actor, int core);
/* Makes an actor like `as`, with a context of its own. Returns an errno value. */
int fg_actor_new(const struct actor *as);
/* Returns when the actor can go on; UINT64_MAX: it waits for another one. */
uint64_t fg_actor_due(const struct actor *actor);
/* The actor can go on when it is due. */
void fg_actor_queue(struct actor *actor);
/* No actor can ever go on: the simulation ends. */
void fg_actor_stuck(void);
/* Goes on with the actor that is least far in time. Returns when that is the caller. */
void fg_actor_go_on(void);
/* One turn of a spinning loop of the runtime. */
void fg_actor_pause(void);
