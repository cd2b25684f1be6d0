/* Outside (floor: share): see outside.h. */
#include "share/outside.h"

#include "machine/load.h"
#include "platform/thread_clock.h"
#include "share/entry.h"
#include "share/trial.h"

#define COUNTS_NS 2000000000 /* a PU was found shared at most so long ago */
#define FRESH_NS 500000000   /* a look of longer ago says nothing */
#define FIRST_NS 40000000    /* between the first two measurements */
#define LATELY_NS 200000000  /* ten times as long as a stamp is young */
#define STALE_NS 500000000   /* programs come and go, so that no measurement succeeds: the last one says nothing */
#define EVERY_NS 100000000   /* between two measurements: the kernel counts in ticks of 10 ms */

static struct {
	struct fg_atomic_u64 found, measured, looked; /* when */
	struct fg_atomic_u64 rests;		      /* until when the load makes no difference */
	struct fg_atomic_u32 counts, tries, pays;
	/* The monitor's: */
	struct fg_trial trial;
	uint32_t milli;
	uint64_t known; /* when it was measured */
	struct fg_load last;
	struct {
		uint64_t word, ns;
	} used[FG_BOARD_ENTRIES]; /* of the programs on the board, at the last measurement */
} outside;

static bool
is_late(uint64_t now)
{
	return now - fg_load_relaxed(&outside.measured) >= EVERY_NS;
}

/* The last trial has shown that the program gets on faster with all PUs. */
static bool
rests(uint64_t now)
{
	return now < fg_load_relaxed(&outside.rests);
}

bool
fg_outside_found(uint64_t now)
{
	fg_store_relaxed(&outside.found, now);
	return (is_late(now) && !rests(now)) || fg_load_relaxed(&outside.tries);
}

static bool
is_recent(uint64_t now)
{
	uint64_t found = fg_load_relaxed(&outside.found);
	return found &&
	       (now < found || now - found < COUNTS_NS); /* a worker may find after the monitor read the clock */
}

/* On busy PUs a monitor stamps late. Its program must not count as load from outside for that. */
static bool
was_active(uint64_t stamp, uint64_t now)
{
	return fg_entry_is_active(stamp, now) || (stamp < now && now - stamp < LATELY_NS);
}

double
fg_outside_used(struct fg_board *board, uint64_t now, int own, const struct fg_cpuset *mask, bool *left)
{
	double sum = 0;
	*left = false;
	for (unsigned i = 0; i < FG_BOARD_ENTRIES; i++) {
		uint64_t word = fg_load_relaxed(&board->entry[i].taken);
		int process = (int)(uint32_t)word;
		uint64_t ns = 0;
		if (process > 0 && process != own && fg_entry_has_of(board, i, mask) &&
		    was_active(fg_load_relaxed(&board->entry[i].stamp), now))
			ns = fg_process_clock_used(process);
		if (ns && outside.used[i].word == word && ns > outside.used[i].ns)
			sum += (double)(ns - outside.used[i].ns) * 1e-9;
		*left |= outside.used[i].word && outside.used[i].word != (ns ? word : 0);
		outside.used[i].word = ns ? word : 0;
		outside.used[i].ns = ns;
	}
	return sum;
}

static void
measure(struct fg_board *board, uint64_t now, int own, const struct fg_cpuset *mask)
{
	if (now - fg_load_relaxed(&outside.measured) > 2 * EVERY_NS)
		outside.last = (struct fg_load){0}; /* a load of long ago says little about now */
	double before = outside.last.when, others;
	bool known = fg_load_since(&outside.last, mask, &others);
	bool left;
	double on_board = fg_outside_used(board, now, own, mask, &left);
	if (left) /* its last time would count as that of others */
		known = false;
	fg_store_relaxed(&outside.measured, known ? now : now - (EVERY_NS - FIRST_NS));
	if (!known && outside.last.when == before)
		outside.last = (struct fg_load){0}; /* it failed, and the two measurements must begin at one time */
	if (!known)
		return;
	others -= on_board / (outside.last.when - before);
	outside.milli = others > 0 ? (uint32_t)(others * 1000) : 0;
	outside.known = now;
}

/* While it leaves PUs for good, its workers may find theirs shared no more. */
bool
fg_outside_is_on(uint64_t now)
{
	return (is_recent(now) && !rests(now)) || fg_load_relaxed(&outside.pays);
}

void
fg_outside_look(struct fg_board *board, uint64_t now, int own, const struct fg_cpuset *mask, uint64_t steps)
{
	if (now - fg_load_relaxed(&outside.looked) > FRESH_NS)
		outside.milli = 0;
	if (is_late(now))
		measure(board, now, own, mask);
	if (now - outside.known > STALE_NS)
		outside.milli = 0;
	bool leaves = outside.milli && fg_trial_look(&outside.trial, now, steps);
	fg_store_relaxed(&outside.looked, now);
	fg_store_relaxed(&outside.counts, leaves ? outside.milli : 0);
	fg_store_relaxed(&outside.tries, outside.milli && outside.trial.turn);
	fg_store_relaxed(&outside.pays, outside.milli && fg_trial_pays(&outside.trial));
	fg_store_relaxed(&outside.rests, fg_trial_rests(&outside.trial));
}

unsigned
fg_outside_counts(uint64_t now)
{
	uint64_t looked = fg_load_relaxed(&outside.looked);
	return now < looked || now - looked < FRESH_NS ? fg_load_relaxed(&outside.counts) : 0;
}

void
fg_outside_after_fork(void)
{
	fg_store_relaxed(&outside.found, 0);
	fg_store_relaxed(&outside.counts, 0);
	fg_store_relaxed(&outside.tries, 0);
	fg_store_relaxed(&outside.pays, 0);
	fg_store_relaxed(&outside.rests, 0);
	outside.trial = (struct fg_trial){0};
	outside.last = (struct fg_load){0};
	outside.milli = 0;
}
