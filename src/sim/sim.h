/* The simulated machine's state (floor: sim; its files share it). All of it belongs to the one kernel thread that
 * carries all PUs. */
#pragma once
#include <pthread.h>

#include "base/carrier.h"
#include "exec/carrier/chance.h"
#include "exec/thread/identity.h"
#include "platform/counters.h"
#include "sim/model.h"

/* The kinds of use of a PU's time: the program's code; the runtime's code; there the search for work; waiting for the
 * runtime's cache lines; switches, sleeps and wakes; the program's data. */
enum fg_spent {
	FG_SPENT_WORK,
	FG_SPENT_RUNTIME,
	FG_SPENT_SEARCH,
	FG_SPENT_LINES,
	FG_SPENT_SYSTEM,
	FG_SPENT_MEMORY,
	FG_SPENT_KINDS
};

struct fg_sim_pu {
	uint64_t spent[FG_SPENT_KINDS]; /* ns */
	int core;			/* where other PUs slow it; -1: nowhere */
	unsigned awake;			/* if this PU is the first of a core: actors awake there */
	uint64_t ahead;			/* ns of computing that it did while it waited for its last line */
	uint64_t stores_done;		/* when all PUs will see its last store */
	struct fg_requests requests;
	unsigned beside, n_beside; /* the PUs below its outermost cache: the first, and how many */
	uint64_t met;		   /* the clock when a line last went between it and another PU */
	unsigned taken_from;	   /* the PU that had the line changed last: after a steal, the robbed runqueue's */
	/* work.c: its worker, how often that had switched, and when the thread came there */
	const struct fg_worker *worker;
	uint32_t progress;
	uint64_t slice_began;
	uint64_t switches, sleeps, steals, task_steals, migrations, transfers;
	uint64_t changes;		 /* of lines of which it had a copy, by others */
	struct actor *pausing;		 /* the actor that spins there in a long pause (spin.c) */
	uint64_t events[FG_COUNT_KINDS]; /* of the program's data: lines of other nodes, missed lines, first touches */
	/* memory.c: time of local accesses that is still in the next timed stretches; what was taken off those */
	uint64_t charged_ahead, taken_off;
	uint64_t since_sample; /* told.c: time in its data since the last sample */
};

struct fg_sim {
	bool on;
	/* It is set while the simulation itself works. Then nothing is charged, and the watchdog does nothing. */
	volatile bool busy;
	bool failed; /* it has told why */
	bool given;  /* only given work takes time */
	struct fg_model model;
	unsigned n_pus;
	uint16_t *transfer; /* n_pus x n_pus, ns */
	struct fg_sim_pu *pus;
	uint64_t clock;	    /* of the running actor */
	unsigned pu;	    /* the running actor's PU; n_pus: none */
	uint64_t *here;	    /* the running actor's events, by kind */
	void *started;	    /* the thread-local storage of the actor that was started last */
	bool spins;	    /* since a pause, the running actor has only looked */
	uint64_t next;	    /* the earliest clock of the other actors; UINT64_MAX: no other can run */
	uint64_t unseen;    /* ns that at least pass until another PU sees a store */
	uint64_t preempted; /* by the watchdog */
	uint64_t distance_steals[16], distance_task_steals[16], distance_migrations[16], distance_transfers[16];
	/* Lines of the program's data by where they came from: the PU's own cache, a cache that it shares, another PU's
	 * by distance, memory by links. */
	uint64_t lines_own, lines_shared, lines_other[16], lines_memory[16];
	struct fg_chance chance;
	uint64_t seed;
	int pid;
	bool overseen;		 /* the overseer was started */
	bool computes;		 /* a thread does, while others wait for its PU (overseer.c) */
	uint64_t alone_since;	 /* no other place can go on since then; 0: one can */
	unsigned *node_number;	 /* the operating system's number of each node */
	const char *report_path; /* NULL: no report */
};
extern struct fg_sim fg_sim;

static inline void
fg_sim_count(enum fg_event_kind kind, unsigned n)
{
	fg_sim.pus[fg_sim.pu].events[kind] += n;
	fg_sim.here[kind] += n;
}

static inline void
fg_sim_spend(enum fg_spent kind, uint64_t ns)
{
	fg_sim.clock += ns;
	fg_sim.pus[fg_sim.pu].spent[kind] += ns;
}

/* A PU that only looks at lines that it has may be ahead of the others by this slack. It sees what they do so much too
 * late or too early. The slack is half of the time since a line last went from one PU to another. So between two such
 * meetings the PU is interrupted some ten times, however far apart they are. Each interruption costs it what the
 * processor knew of the branches to come. */
#define FG_SIM_SLACK_MAX 20000

static inline uint64_t
fg_sim_slack(void)
{
	uint64_t met = fg_sim.pus[fg_sim.pu].met;
	uint64_t slack = !fg_sim.given && fg_sim.clock > met ? (fg_sim.clock - met) / 2 : 0;
	return slack < FG_SIM_SLACK_MAX ? slack : FG_SIM_SLACK_MAX;
}

/* The running PU computes, `program` of it in the program's code. The part that it did while it waited for a line takes
 * no more time. */
static inline void
fg_sim_compute(uint64_t ns, uint64_t program)
{
	struct fg_sim_pu *pu = &fg_sim.pus[fg_sim.pu];
	uint64_t done = ns < pu->ahead ? ns : pu->ahead;
	pu->ahead -= done;
	pu->spent[FG_SPENT_LINES] -= done;
	pu->spent[FG_SPENT_WORK] += program;
	pu->spent[fg_charge_state.searches ? FG_SPENT_SEARCH : FG_SPENT_RUNTIME] += ns - program;
	fg_sim.clock += ns - done;
}

/* A line has changed of which the PU had a copy. */
void fg_sim_disturb(struct fg_sim_pu *pu);
/* The running actor ends. */
_Noreturn void fg_sim_end_actor(void);
/* The running thread of the program becomes one that threads.c knows, or asks for one; see seam.h. */
int fg_sim_thread_create(pthread_t *thread, bool detached, void *(*start)(void *), void *arg);
bool fg_sim_thread_join(pthread_t thread, void **result);
bool fg_sim_thread_detach(pthread_t thread);
void fg_sim_thread_exit(void *result);

/* Finds the PU of the running identity's worker. Returns false if the simulation does not concern the caller. */
bool fg_sim_locate(void);
/* Charges the time since the stopwatch was started to the running PU. `looks`: a PU that spins spent this time on its
 * spinning. */
void fg_sim_lap(bool looks);
/* The caller is in a system call for so long. */
void fg_sim_system(uint64_t ns);
/* Lets all actors run that are behind the caller in time. */
void fg_sim_let_others(void);
/* The caller is in the program's code. It waits until others have gone on. */
void fg_sim_wait_turn(void);
/* The caller sleeps until that time. */
void fg_sim_sleep_until(uint64_t time);

/* Starts a simulated kernel thread that is on no PU. It takes no PU's time, and the machine does not wait for it.
 * False: it failed. */
bool fg_sim_start_outside(void (*start)(void *), void *arg);
/* Such a thread waits until that time. Returns false if no other actor has gone on meanwhile. If for long none can, the
 * simulation ends. */
bool fg_sim_look_away(uint64_t until);
/* Calls `tell` for each identity that computes. The caller is on no PU. */
void fg_sim_each_that_computes(void (*tell)(struct fg_identity *self));
/* Starts the overseer if a policy may want it. */
void fg_overseer_meet(void);
/* Starts the daemons of policies that do not run. */
void fg_sim_daemons_meet(void);

/* The program computes so long. */
void fg_sim_work(uint64_t ns);

unsigned fg_sim_distance(unsigned from, unsigned to);

/* The identity runs on the running PU. Counts a migration if it ran on another one before. */
void fg_trail_note(const struct fg_identity *self);

extern const struct fg_carrier fg_carrier_sim;
/* Returns whether the caller is the program's first kernel thread, which carries all PUs. */
bool fg_carrier_sim_is_first(void);
void fg_watch_start(void);
void fg_lines_start(void);
