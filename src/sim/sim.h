/* The simulated machine's state (floor: sim; shared by its files). All of it belongs to the one kernel thread that carries all PUs. */
#pragma once
#include "base/carrier.h"
#include "exec/carrier/chance.h"
#include "exec/thread/worker.h"
#include "platform/counters.h"
#include "sim/model.h"

/* What the time of a PU went into. */
enum fg_spent { FG_SPENT_WORK, FG_SPENT_LINES, FG_SPENT_SYSTEM, FG_SPENT_MEMORY, FG_SPENT_KINDS };

struct fg_sim_pu {
	uint64_t spent[FG_SPENT_KINDS]; /* ns: computing; waiting for the runtime's cache lines; switches, sleeps, wakes; the program's data */
	int core;	      /* where others slow it; -1: nowhere */
	unsigned awake;	      /* places on this core, if it is the first PU of one */
	uint64_t ahead;	      /* ns of computing that are done while it waited for its last line */
	uint64_t stores_done; /* when the last of its stores will be seen by all */
	unsigned taken_from;  /* who had the line that it changed last: after a steal, the robbed runqueue's */
	uint64_t switches, sleeps, steals, task_steals, migrations, transfers;
	uint64_t events[FG_COUNT_KINDS]; /* lines of the program's data out of other NUMA nodes; those in no cache of its own; first touches of a page */
	uint64_t memory_at_home; /* of the time for memory what local accesses would have taken */
	uint64_t charged_ahead,
		taken_off; /* memory.c: of that what the next timed stretches include; what they have been made shorter by */
};

struct fg_sim {
	bool on;
	/* Set while the simulation itself is at work: it is not charged, and the watchdog leaves it alone. */
	volatile bool busy;
	bool failed; /* it has said why */
	bool given;  /* only given work counts */
	struct fg_model model;
	unsigned n_pus;
	uint16_t *transfer; /* n_pus x n_pus, ns */
	struct fg_sim_pu *pus;
	uint64_t clock;	    /* of the place that runs */
	unsigned pu;	    /* the PU that it stands for; n_pus: none */
	uint64_t *here;	    /* its events, by kind */
	bool spins;	    /* it has paused, and only looked since */
	uint64_t next;	    /* the clock of whoever is the least far of the others; UINT64_MAX: nobody */
	uint64_t unseen;    /* ns: no store is seen by another PU sooner than that */
	uint64_t met;	    /* the clock when a line last went from one PU to another, or one woke another */
	uint64_t events;    /* what a waiting place may be waiting for: stores to lines that were shared, wakes */
	uint64_t preempted; /* by the watchdog */
	uint64_t distance_steals[16], distance_task_steals[16], distance_migrations[16], distance_transfers[16];
	/* Lines of the program's data by where they came from: the PU's own cache, one that it shares, another's by distance, memory
	 * by links. */
	uint64_t lines_own, lines_shared, lines_other[16], lines_memory[16];
	struct fg_chance chance;
	uint64_t seed;
	int pid;
};
extern struct fg_sim fg_sim;

static inline void
fg_sim_spend(enum fg_spent kind, uint64_t ns)
{
	fg_sim.clock += ns;
	fg_sim.pus[fg_sim.pu].spent[kind] += ns;
}

/* How far a PU may be ahead of others as long as it only looks at lines that it has: what they do is seen so much too late, or too early. Half as
 * long as nothing has gone from one to another: so it is interrupted some ten times between two meetings, however far apart they are. Each time
 * costs it what the processor knew of the branches to come. */
#define FG_SIM_SLACK_MAX 20000

static inline uint64_t
fg_sim_slack(void)
{
	uint64_t slack = !fg_sim.given && fg_sim.clock > fg_sim.met ? (fg_sim.clock - fg_sim.met) / 2 : 0;
	return slack < FG_SIM_SLACK_MAX ? slack : FG_SIM_SLACK_MAX;
}

/* The running PU computes: what it had done already takes no time any more. */
static inline void
fg_sim_compute(uint64_t ns)
{
	struct fg_sim_pu *pu = &fg_sim.pus[fg_sim.pu];
	uint64_t done = ns < pu->ahead ? ns : pu->ahead;
	pu->ahead -= done;
	pu->spent[FG_SPENT_LINES] -= done;
	pu->spent[FG_SPENT_WORK] += ns;
	fg_sim.clock += ns - done;
}

/* The PU that the running identity's worker sits on; false: the simulation has nothing to do with the caller. */
bool fg_sim_locate(void);
/* The time since the stopwatch was started goes to the running PU. looks: if it spins, that was a part of it. */
void fg_sim_lap(bool looks);
/* Lets all others run that are behind the caller in time. */
void fg_sim_let_others(void);
/* The caller, in the program's code, waits until others have gone on. */
void fg_sim_wait_turn(void);
/* Until that time. */
void fg_sim_sleep_until(uint64_t time);

/* A simulated kernel thread that is on no PU: it uses nobody's time, and the machine does not wait for it. false: it cannot be had. */
bool fg_sim_start_outside(void (*start)(void *));
/* For such a one: until that time. false: nobody has gone on meanwhile. Where nobody can, for long, the simulation ends. */
bool fg_sim_look_away(uint64_t until);
/* Calls it for each identity that computes; by who is on no PU. */
void fg_sim_each_that_computes(void (*tell)(struct fg_identity *self));
/* Sees to it that somebody calls the policies' daemons, tells them of slices, looks at counters, and brings back what was put aside, if that may
 * be wanted. */
void fg_overseer_meet(void);

unsigned fg_sim_distance(unsigned from, unsigned to);

extern const struct fg_carrier fg_carrier_sim;
/* The program's first thread runs, or nobody has met the runtime yet. */
bool fg_carrier_sim_is_first(void);
void fg_watch_start(void);
void fg_lines_make(void);
/* What follows is for this PU. */
void fg_lines_of(unsigned pu);
/* The running PU asks before it looks at any line again. */
void fg_lines_look_again(void);
void fg_lines_clear(void);
