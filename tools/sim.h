/* The part of `forestgomp sim` that its files share. */
#pragma once
#include "sim/model.h"
#include <stdint.h>

#define SIM_DISTANCES 16

struct sim_pu {
	uint64_t work, lines, system, memory; /* ns */
	uint64_t memory_at_home;	      /* the part of `memory` that local accesses would take */
	uint64_t switches, sleeps, steals, task_steals, migrations, transfers, remote;
};

/* One run on the simulated machine. */
struct sim_outcome {
	bool complete; /* there is a report */
	bool failed;   /* the simulation could not go on, and has told why */
	int status;    /* exit status of the program, or 128 + the signal that ended it */
	uint64_t time; /* ns */
	unsigned n_pus;
	struct sim_pu *pus;
	uint64_t hit, corrected, preempted;
	uint64_t steals[SIM_DISTANCES], task_steals[SIM_DISTANCES], migrations[SIM_DISTANCES], transfers[SIM_DISTANCES];
	/* Lines of the program's data by where they came from. */
	uint64_t lines_own, lines_shared, lines_other[SIM_DISTANCES], lines_memory[SIM_DISTANCES];
};

struct sim_call {
	const char *machine; /* path of a machine file or an XML file, or a synthetic machine */
	unsigned n_pus;	     /* 0: as many as the machine has */
	const char *sched;   /* NULL: that of the environment */
	const char *seed;
	bool given;
	enum { SIM_SHOW, SIM_TO_STDERR, SIM_HIDE } output; /* the way of the program's standard output */
	char **program;
};

/* Returns false if it could not be started. Then the user has been told, and *status is the exit status. */
bool sim_run(const struct sim_call *call, struct sim_outcome *outcome, int *status);
void sim_outcome_free(struct sim_outcome *outcome);
/* Returns the ns of computing on all PUs. */
uint64_t sim_work(const struct sim_outcome *outcome);
/* Returns the same with all waiting for memory. */
uint64_t sim_busy(const struct sim_outcome *outcome);
/* Returns the whole work: computing, and the program's memory if all of it were local. */
uint64_t sim_to_do(const struct sim_outcome *outcome);
uint64_t sim_sum(const uint64_t *counts);

/* `base` is the ns that the same takes on one PU; 0: not known. */
void sim_print_text(const struct fg_model *model, const struct sim_call *call, const struct sim_outcome *outcome,
		    uint64_t base);
void sim_print_json(const struct fg_model *model, const struct sim_call *call, const struct sim_outcome *outcome,
		    uint64_t base);
/* Writes a time like "1.23 ms". */
const char *sim_time_text(uint64_t ns, char *text, size_t size);

/* Returns the folder of the machine files; NULL: there is none. */
const char *sim_shelf(void);
int sim_list(bool json);
int sim_calibrate(void);
