/* Place (floor: sim; used by the files that let places go on): a kernel thread of the simulated machine, see
 * places.c. */
#pragma once
#include "sim/sim.h"
#include "sim/turns.h"

#define LOOK_NS 200 /* a turn of a spinning loop that takes longer does more than look */

enum state { READY, WAITING, ENDED };

struct place {
	struct fg_context context; /* valid while the place does not run */
	enum state state;
	struct fg_turn turn; /* among the places that can go on, unless it runs */
	uint64_t clock;	     /* that of the running place is fg_sim.clock */
	unsigned pu;
	int core; /* the core where it is awake; -1: it sleeps, or slows no other place */
	bool spins, searches;
	struct fg_atomic_u32 *word; /* the word that it waits for */
	uint64_t deadline;	    /* 0: none */
	uint64_t changes_seen, quiet_since, paused_from;
	unsigned quiet;		  /* turns of its spinning in which no line changed that its PU has */
	struct fg_identity *last; /* the identity that ran here last */
	uint64_t steals;	  /* its worker's steals that are counted already */
	bool outside;		  /* it is on no PU, and no place waits for it */
	uint64_t events[FG_COUNT_KINDS];
	void (*start)(void *);
	void *arg;
	struct place *next;
};

/* The place that runs, and the program's first kernel thread, from which all are linked. */
extern struct place *fg_place, fg_place_first;

/* Returns the time for computing where PUs share a core. */
uint64_t fg_place_slowed(uint64_t ns);
/* The place is awake on that core from now on; -1: it sleeps. */
void fg_place_awake(struct place *place, int core);
/* Makes a place like `as`, with a context of its own. Returns an errno value. */
int fg_place_new(const struct place *as);
/* Returns when the place can go on; UINT64_MAX: it waits for another one. */
uint64_t fg_place_due(const struct place *place);
/* The place can go on when it is due. */
void fg_place_queue(struct place *place);
/* No place can ever go on: the simulation ends. */
void fg_place_stuck(void);
/* Goes on with the place that is least far in time. Returns when that is the caller. */
void fg_place_go_on(void);
/* One turn of a spinning loop of the runtime. */
void fg_place_pause(void);
