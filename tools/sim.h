/* Types and functions that the files of `forestgomp sim` share. */
#pragma once
#include "sim/model.h"
#include <stdint.h>

#define SIM_DISTANCES 16

struct sim_pu {
	uint64_t work, lines, system, memory; /* ns */
	uint64_t switches, sleeps, steals, task_steals, migrations, transfers, remote;
};

/* One run on the simulated machine. */
struct sim_outcome {
	bool complete;	   /* the run has a report */
	bool failed;	   /* the simulation ended with a message */
	bool input_missed; /* the program read standard input, which could not be given again */
	int status;	   /* exit status of the program, or 128 + the signal that ended it */
	uint64_t time;	   /* ns */
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
	bool defer; /* no task runs at once because enough others wait */
	/* The program's standard output. SIM_SILENCE: it leaves no standard error and no trace, either. */
	enum { SIM_SHOW, SIM_TO_STDERR, SIM_HIDE, SIM_SILENCE } output;
	bool input_again; /* other runs need the same standard input */
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
	bool json, no_baseline;
};

/* Returns false if the run could not start, after a message; *status is then the exit status. */
bool sim_run(const struct sim_call *call, struct sim_outcome *outcome, int *status);
void sim_outcome_free(struct sim_outcome *outcome);
/* Returns the time of computing on all PUs in ns. */
uint64_t sim_work(const struct sim_outcome *outcome);
/* Returns the same and all waits for memory. */
uint64_t sim_busy(const struct sim_outcome *outcome);
uint64_t sim_sum(const uint64_t *counts);

/* Standard input of a run that leaves it to others. The descriptor is -1 if the run must take what is there. */
struct sim_input {
	int descriptor;
	bool empty_line; /* it holds one empty line, because the input can be read only once */
};
struct sim_input sim_input_again(void);
/* Returns whether the run read the empty line. */
bool sim_input_close(struct sim_input *input);

/* Runs the same on one PU, unseen. Returns false as sim_run does. */
bool sim_baseline_run(const struct sim_call *call, struct sim_outcome *one, int *status);
/* `status` is the program's exit status in the run on all PUs. */
bool sim_baseline_valid(const struct sim_outcome *one, int status);
/* Says why the run on one PU is not valid. */
void sim_baseline_complain(const struct sim_outcome *one);
/* Returns whether all PUs together computed for so much longer than one PU that the report must say so. */
bool sim_baseline_outgrown(const struct sim_outcome *one, uint64_t work);
/* `where` names the run if the report has several; else it is empty. */
void sim_baseline_print_growth(const struct sim_outcome *one, uint64_t work, const char *where);

/* `one` is the run on one PU; NULL: there is none. */
void sim_print_text(const struct fg_model *model, const struct sim_call *call, const struct sim_outcome *outcome,
		    const struct sim_outcome *one);
void sim_print_json(const struct fg_model *model, const struct sim_call *call, const struct sim_outcome *outcome,
		    const struct sim_outcome *one);
/* Says that the program left no report, if nothing else has said why. Returns the exit status. */
int sim_no_report(const struct sim_outcome *outcome);
/* Runs and prints --compare and --sweep. Returns the exit status. */
int sim_table(struct sim_request *request);
/* Draws a bar on a terminal's standard error, and clears it once all is done. */
void sim_progress(unsigned done, unsigned all, const char *what);
/* Returns the file of a machine that we deliver, else the name itself. */
const char *sim_machine_path(const char *name);
/* Writes a time as "1.23 ms". */
const char *sim_time_text(uint64_t ns, char *text, size_t size);

/* Returns the folder of the machine files, or NULL. */
const char *sim_shelf(void);
int sim_list(bool json);
int sim_calibrate(void);
