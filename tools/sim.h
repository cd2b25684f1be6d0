/* Types and functions that the files of `forestgomp sim` share. */
#pragma once
#include "sim/model.h"
#include <stdint.h>

#define SIM_DISTANCES 16

struct sim_pu {
	uint64_t work, lines, system, memory; /* ns */
	uint64_t memory_at_home;	      /* the time of the same accesses if all were local */
	uint64_t switches, sleeps, steals, task_steals, migrations, transfers, remote;
};

/* One run on the simulated machine. */
struct sim_outcome {
	bool complete; /* the run has a report */
	bool failed;   /* the simulation ended with a message */
	int status;    /* exit status of the program, or 128 + the signal that ended it */
	uint64_t time; /* ns */
	unsigned n_pus;
	struct sim_pu *pus;
	uint64_t hit, corrected, preempted;
	uint64_t steals[SIM_DISTANCES], task_steals[SIM_DISTANCES], migrations[SIM_DISTANCES], transfers[SIM_DISTANCES];
	/* Lines of the program's data by their source. */
	uint64_t lines_own, lines_shared, lines_other[SIM_DISTANCES], lines_memory[SIM_DISTANCES];
};

struct sim_call {
	const char *machine; /* path of a machine file or an XML file, or a synthetic machine */
	unsigned n_pus;	     /* 0: all of them */
	const char *sched;   /* NULL: the environment's */
	const char *seed;
	bool given;
	enum { SIM_SHOW, SIM_TO_STDERR, SIM_HIDE } output; /* the program's standard output */
	char **program;
};

#define SIM_POINTS 64
#define SIM_POLICIES 16

struct sim_request {
	struct sim_call call;
	struct fg_model model;
	char *compare[SIM_POLICIES];
	unsigned n_compare;
	unsigned sweep[SIM_POINTS], n_sweep;
	const char *svg;
	bool json, baseline;
};

/* Returns false if the run could not start, after a message; *status is then the exit status. */
bool sim_run(const struct sim_call *call, struct sim_outcome *outcome, int *status);
void sim_outcome_free(struct sim_outcome *outcome);
/* Returns the time of computing on all PUs in ns. */
uint64_t sim_work(const struct sim_outcome *outcome);
/* Returns the same and all waits for memory. */
uint64_t sim_busy(const struct sim_outcome *outcome);
/* Returns the same as if all accesses were local, which is the work that the program needs. */
uint64_t sim_to_do(const struct sim_outcome *outcome);
uint64_t sim_sum(const uint64_t *counts);

/* `base` is the time of the same on one PU in ns; 0 means unknown. */
void sim_print_text(const struct fg_model *model, const struct sim_call *call, const struct sim_outcome *outcome,
		    uint64_t base);
void sim_print_json(const struct fg_model *model, const struct sim_call *call, const struct sim_outcome *outcome,
		    uint64_t base);
/* Says that the program left no report, if nothing else has said why. Returns the exit status. */
int sim_no_report(const struct sim_outcome *outcome);
/* Returns the time on one PU. If the run fails, returns 0 and sets *status. */
uint64_t sim_base_time(const struct sim_request *request, int *status);
/* Runs and prints --compare and --sweep. Returns the exit status. */
int sim_table(struct sim_request *request);
/* Writes a time as "1.23 ms". */
const char *sim_time_text(uint64_t ns, char *text, size_t size);

/* Returns the folder of the machine files, or NULL. */
const char *sim_shelf(void);
int sim_list(bool json);
int sim_calibrate(void);
