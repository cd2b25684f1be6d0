/* Types and functions that the files of `forestgomp sim` share. */
#pragma once
#include "sim/model.h"
#include <stdint.h>

#define SIM_DISTANCES 16

struct sim_pu {
	uint64_t work, runtime, search, lines, system, memory; /* ns */
	uint64_t switches, sleeps, steals, task_steals, migrations, transfers, remote;
};

/* One run on the simulated machine. */
struct sim_outcome {
	bool complete;	   /* the run has a report */
	bool failed;	   /* the simulation ended with a message */
	bool input_missed; /* the program read standard input, which could not be given again */
	int status;	   /* exit status of the program, or 128 + the signal that ended it; of several runs, the
			    * first that is not 0 */
	bool regions;	   /* its first thread has met regions on ForestGOMP */
	char other[256];   /* the library of another OpenMP runtime in it; or empty */
	uint64_t time;	   /* ns */
	unsigned bad;	   /* so many of the runs ended with another status than 0 */
	unsigned runs;	   /* it is the median of so many; the fastest and the slowest of them: */
	uint64_t least, most;
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
	bool input_again;  /* other runs need the same standard input */
	const char *trace; /* FGOMP_TRACE; NULL: as it is */
	char **program;
};

#define SIM_POINTS 64
#define SIM_POLICIES 16
#define SIM_REPEATS 1000

struct sim_request {
	struct sim_call call;
	struct fg_model model;
	char *compare[SIM_POLICIES];
	unsigned n_compare;
	unsigned sweep[SIM_POINTS], n_sweep;
	const char *svg;
	unsigned repeat; /* 0: one run */
	const char *trace;
	bool json, no_baseline, stats;
	/* Another thing to do than to run a program. */
	const char *show;
	bool list, calibrate;
};

/* Returns false if the run could not start, after a message; *status is then the exit status. */
bool sim_run(const struct sim_call *call, struct sim_outcome *outcome, int *status);
/* The same so many times, with other seeds. The outcome is that of the median time. Only the last run is seen. */
bool sim_run_repeated(const struct sim_call *call, unsigned n, struct sim_outcome *outcome, int *status);
void sim_outcome_free(struct sim_outcome *outcome);
/* Returns the time of computing on all PUs in ns. */
uint64_t sim_work(const struct sim_outcome *outcome);
/* Returns the sums of one kind of time over all PUs. */
uint64_t sim_runtime(const struct sim_outcome *outcome);
uint64_t sim_search(const struct sim_outcome *outcome);
/* Returns the time of computing and all waits for memory. */
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

/* Runs the same on one PU, unseen, n times. Returns false as sim_run does. */
bool sim_baseline_run(const struct sim_call *call, unsigned n, struct sim_outcome *one, int *status);
/* `status` is the program's exit status in the run on all PUs. */
bool sim_baseline_valid(const struct sim_outcome *one, int status);
/* Says why the run on one PU is not valid. */
void sim_baseline_complain(const struct sim_outcome *one, int status);
/* Returns whether all PUs together computed for so much longer than one PU that the report must say so. */
bool sim_baseline_outgrown(const struct sim_outcome *one, uint64_t work);
/* `where` names the run if the report has several; else it is empty. */
void sim_baseline_print_growth(const struct sim_outcome *one, uint64_t work, const char *where);

/* `one` is the run on one PU; NULL: there is none. */
void sim_print_text(const struct fg_model *model, const struct sim_call *call, const struct sim_outcome *outcome,
		    const struct sim_outcome *one);
void sim_print_json(const struct fg_model *model, const struct sim_call *call, const struct sim_outcome *outcome,
		    const struct sim_outcome *one);
/* Says it if the program ended with another status than 0 in a run that nobody sees. `where` names the run. */
void sim_tell_status(const struct sim_outcome *outcome, const char *where);
/* Says that the program left no report, if nothing else has said why. Returns the exit status. */
int sim_no_report(const struct sim_call *call, const struct sim_outcome *outcome);
/* Says it if the program has another OpenMP runtime. Returns whether its regions ran only there. */
bool sim_is_foreign(const struct sim_call *call, const struct sim_outcome *outcome);
/* Runs and prints --compare and --sweep. Returns the exit status. */
int sim_table(struct sim_request *request);
/* Says which run comes next, as a terminal shows it: "[##   ] 3/9 spread on 16 PUs". `done` of `all` runs are over. */
void sim_progress(unsigned done, unsigned all, const char *what);
/* Returns the file of a machine that we deliver, else the name itself. */
const char *sim_machine_path(const char *name);
/* Writes a time as "1.23 ms". */
const char *sim_time_text(uint64_t ns, char *text, size_t size);

/* Returns the folder of the machine files, or NULL. */
const char *sim_shelf(void);
int sim_list(bool json);
/* Prints each figure of a machine with its source. */
int sim_show(const char *machine, bool json);
/* Prints what is wrong with the text of a machine, and names the nearest word that is known. Returns WRONG_USE. */
int sim_complain_machine(const char *text, const struct fg_model *model);

/* Takes the option argv[*i]. Returns 0, or > 0 after a message. */
int sim_take_option(int argc, char **argv, int *i, struct sim_request *request);

/* The name of the traces of --stats, in a folder that is removed at the end: each process of the run writes one. NULL:
 * it cannot be made; there was a message. */
const char *sim_stats_begin(void);
/* Prints a table for each trace of that name; several are a list in JSON. */
void sim_stats_print(const char *name, bool json);
void sim_stats_end(void);
int sim_calibrate(void);
