/* Types and functions that the files of `forestgomp replay` share. */
#pragma once
#include "draw/score.h"
#include "machine/pin_file.h"
#include "sim.h"

#define REPLAY_POLICIES 16
#define REPLAY_SEEDS 99

/* Several replays that differ by their seeds only. */
struct replay_run {
	const char *sched;
	bool pinned;   /* by replay->pin */
	uint64_t time; /* ns, the median; 0: it has not run */
	uint64_t least, most;
};

struct replay {
	const char *file; /* the trace */
	const struct fg_trace *trace;
	const struct fg_story *story;
	const struct fg_score *score;
	/* The run that was recorded. */
	char command[256], sched[1024], machine[1024], seed[24];
	unsigned n_pus;	   /* of its machine, if that is not its whole; else 0 */
	bool simulated;	   /* it ran on the simulated machine */
	bool tells_memory; /* its trace has all touches of data, and they are replayed */
	uint64_t recorded; /* ns */
	/* The same, replayed. If that is not possible, `why` says so. */
	struct replay_run own;
	char why[200];
	/* Why no replay could tell how long a run takes. Then nothing is replayed. */
	char cannot_tell[300];
	/* What is asked for. */
	const char *to_machine; /* NULL: the recorded one */
	const char *to_seed;
	unsigned to_pus;
	const char *pin_path; /* a pin file, or NULL */
	struct fg_pin pin;
	struct replay_run runs[2 * REPLAY_POLICIES];
	unsigned n_runs;
	unsigned seeds; /* replays of each policy */
	const char *trace_out;
	bool json;
	bool computing_only;   /* the time that data took is computing */
	struct fg_model model; /* of the machine that is asked for */
};

/* Writes the machine of the trace as a list of levels. False: it is not regular. */
bool replay_machine(const struct fg_trace *trace, char *text, size_t size);
/* Variables of OpenMP that are set here are none of the run that the player plays, nor are files of traces. With
 * `places`, those that bind threads stay. */
void player_environment(bool places);
/* ---- replay_pin.c ---- */
/* Reads replay->pin_path, for the machine that is asked for. Returns 0, or an exit status after a message. */
int replay_pin_read(struct replay *replay);
/* Writes it to the file `path`, for the player. `sites` is a file that may be made meanwhile. Returns 0, or an exit
 * status after a message. */
int replay_pin_write(const struct replay *replay, const char *path, const char *sites);

/* ---- replay.c ---- */
/* Runs the player, whose path comes back; the caller frees it. Returns an exit status. */
int replay_play(const struct sim_call *as, const char *word, const char *file, char **player, uint64_t *time);

void replay_print_text(const struct replay *replay);
void replay_print_json(const struct replay *replay);
