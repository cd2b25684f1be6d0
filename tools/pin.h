/* What the files of `forestgomp pin` share: candidates, their runs, and what comes out. */
#pragma once
#include "machine/machine.h"
#include "machine/pin_file.h"
#include "pin_perf.h"
#include "pin_uses.h"
#include "plan/seating.h"
#include "sim.h"
#include <stdbool.h>
#include <stdint.h>

#define PIN_CANDIDATES 17
#define PIN_RUNS 64		       /* of one candidate, at most */
#define PIN_REGIONS 256		       /* that are told apart */
#define PIN_REGIONS_FILE "regions"     /* so begin the names of what a run leaves in the folder: sums, or a trace */
#define PIN_RECORDING_FILE "recording" /* and so those of traces with samples */

struct pin_region {
	char name[FG_PIN_NAME]; /* in a pin file; empty: its file could not be read */
	char label[256];
	unsigned size;		     /* of its teams, as far as they have one size; else 0 */
	double time[PIN_CANDIDATES]; /* ns: the least sum of a run, by candidate; 0: none */
};

struct pin_candidate {
	char name[32];
	bool pinned, by_region; /* else: as the program runs by itself; one layout for all regions */
	bool by_places;		/* not by a pin file, but by OMP_PLACES, as it is printed */
	unsigned size;
	uint16_t *pu;				/* of each member; by_region: in the regions without one of their own */
	const uint16_t *of_region[PIN_REGIONS]; /* by_region: the layout of the region; NULL: pu */
	double time[PIN_RUNS];
	unsigned runs, first; /* of these, the first ones chose what to compare, and do not count in the comparison */
};

struct pin {
	/* What the user asked for. */
	const char *machine, *output, *seed, *from, *svg;
	struct pin_perf perf; /* its path: NULL, or the text of `perf script` */
	unsigned budget;      /* runs */
	bool given, json;
	char **program;
	/* The machine. */
	struct fg_model model; /* of a simulated one */
	struct fg_machine *tree;
	unsigned threads; /* of the teams that are pinned */
	/* What a recording tells; shares: there is one, and it was planned from. */
	struct pin_sharing sharing;
	struct fg_seats seats;
	unsigned planned_from; /* the candidate whose PUs the seats are */
	struct fg_seating seating;
	bool shares;
	bool built_anew; /* the recording is of the same program with hooks in it */
	double apart;	 /* of samples: a plan from half of them costs up to this part more */
	bool unsure;	 /* that is too much, or there are too few samples: nothing is planned */
	/* What was found. */
	struct pin_candidate candidate[PIN_CANDIDATES];
	unsigned n;
	struct pin_region region[PIN_REGIONS];
	unsigned n_regions, runs;
	bool at_once[FG_PIN_PUS + 1]; /* two processes had teams of this size, and were there at the same time */
	char folder[4096];
};

/* ---- pin_candidate.c ---- */
/* Adds the layouts that the machine suggests for pin->threads. Those that differ by symmetry only count once. */
void pin_candidates_add(struct pin *pin);
/* Adds combinations of these, by what their regions took: of the two that go together best, and of the best for each
 * region. It adds none where one layout is the best for all. */
void pin_candidates_combine(struct pin *pin);

/* The candidate's PUs as OMP_PLACES has them; the caller frees it. */
char *pin_places(const struct pin *pin, const struct pin_candidate *candidate);
/* Whether both have the same PUs, and the same one for member 0. So all have where there are as many members as PUs. */
bool pin_same_pus(const struct pin_candidate *a, const struct pin_candidate *b);
/* Whether a candidate has a layout that is the same but for symmetry. */
bool pin_has_alike(const struct pin *pin, const uint16_t *pu);

/* ---- pin_plan.c ---- */
/* What lines cost on this machine: estimates. */
void pin_plan_estimate(struct pin *pin);
/* Reads the recording pin->from. Returns 0, or an exit status after a message. */
int pin_plan_read(struct pin *pin);
/* Adds what is planned from the recording for the PUs that `best` has, unless a candidate is the same. */
void pin_plan_add(struct pin *pin, unsigned best);
/* Returns 0, or an exit status after a message, because the recording is not of this program. */
int pin_plan_match(struct pin *pin);
/* The seats of a region of the recording. */
const uint16_t *pin_plan_pus(const struct pin *pin, unsigned region);
void pin_plan_print(const struct pin *pin);
void pin_plan_print_json(const struct pin *pin);
/* Draws pin->svg. Returns 0, or an exit status after a message. */
int pin_draw(const struct pin *pin);

/* ---- pin_measure.c ---- */
/* Runs the program once. Returns 0, or an exit status after a message. */
int pin_measure(struct pin *pin, unsigned candidate);
/* The same once more on this machine, with samples of who uses what. Its time does not count. */
int pin_record(struct pin *pin);
/* Writes the candidate as a pin file. False: it cannot be written, and errno tells why. */
bool pin_write(const struct pin *pin, const struct pin_candidate *candidate, const char *path);

/* ---- pin_regions.c ---- */
/* Reads what the processes of a run of the candidate have left, and removes it. */
void pin_regions_read(struct pin *pin, unsigned candidate);
/* Reads what members share, of a run that was recorded. */
void pin_recording_read(struct pin *pin);
/* Returns 0, or an exit status after a message, because two processes would sit on the same PUs at the same time. */
int pin_regions_check(const struct pin *pin);

/* ---- pin_judge.c ---- */
double pin_least(const struct pin_candidate *candidate);
double pin_median(const struct pin_candidate *candidate);
/* The chance that so many of the runs of a would be faster than those of b, or more, if both took alike: Wilcoxon, Mann
 * and Whitney, exact, one-sided. */
double pin_chance(const double *a, unsigned n_a, const double *b, unsigned n_b);

/* ---- pin_print.c ---- */
struct pin_verdict {
	unsigned best;	/* candidate; 0: none helps */
	double chance;	/* of its lead over the program by itself; 1: nothing was tried */
	bool certain;	/* at most 5% */
	bool written;	/* the file */
	unsigned fixed; /* the best of those with one layout */
	/* The candidate that is the best one by OMP_PLACES; 0: none. holds: it brings most of the gain. */
	unsigned places;
	bool holds;
};
void pin_print(const struct pin *pin, const struct pin_verdict *verdict);
void pin_print_json(const struct pin *pin, const struct pin_verdict *verdict);
