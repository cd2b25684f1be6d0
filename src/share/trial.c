/* Trial (floor: share): see trial.h. */
#include "share/trial.h"

#define SETTLE_NS 10000000 /* members move, and counts of that time belong to neither */
#define TURN_NS 50000000   /* some rounds of the kernel among the threads of a PU */
#define LATE_NS 200000000  /* the program was elsewhere meanwhile */
#define TURNS 6
#define FEWER(turn) ((turn) % 4 == 2 || (turn) % 4 == 3) /* A B B A A B, if A is with all */
#define CLEAR_2 2.0					 /* after two turns; and so on */
#define CLEAR_4 1.3
#define VAIN 0.95 /* fewer PUs cost so much at least, and each further turn costs it again */
#define GAIN 1.02 /* less is chance, and all PUs are the rule */
#define HOLDS_FIRST_NS 1000000000
#define HOLDS_MOST_NS 8000000000

static void
turn_begin(struct fg_trial *trial, unsigned turn, uint64_t now, uint64_t steps)
{
	bool before = trial->leaves;
	trial->turn = turn;
	trial->leaves = FEWER(turn) != trial->answer;
	trial->counts = trial->leaves == before;
	trial->begin = now;
	trial->steps = steps;
}

static void
begin(struct fg_trial *trial, uint64_t now, uint64_t steps)
{
	for (unsigned i = 0; i < 2; i++)
		trial->ns[i] = trial->made[i] = 0;
	turn_begin(trial, 1, now, steps);
}

/* Steps with fewer PUs, for each with all in the same time. A program that makes no steps gives no answer. */
static double
gain(const struct fg_trial *trial)
{
	double all = trial->made[0] / trial->ns[0], fewer = trial->made[1] / trial->ns[1];
	return all > 0 ? fewer / all : fewer > 0 ? CLEAR_2 : 1;
}

/* A gain must be sure, because it holds for long. A loss need not: there is another trial. */
static bool
is_clear(const struct fg_trial *trial)
{
	double bound = trial->turn == 2 ? CLEAR_2 : CLEAR_4, found = trial->turn % 2 ? 1 : gain(trial);
	return trial->turn == TURNS || found >= bound || found <= VAIN;
}

static void
end(struct fg_trial *trial, uint64_t now)
{
	bool before = fg_trial_pays(trial), better = gain(trial) > GAIN;
	trial->holds = !trial->holds || better != before  ? HOLDS_FIRST_NS
		       : 2 * trial->holds < HOLDS_MOST_NS ? 2 * trial->holds
							  : HOLDS_MOST_NS;
	trial->answer = trial->leaves = better;
	trial->turn = 0;
	trial->begin = now;
}

bool
fg_trial_look(struct fg_trial *trial, uint64_t now, uint64_t steps)
{
	uint64_t passed = now - trial->begin;
	if (trial->turn == 0) {
		if (!trial->holds || passed >= trial->holds)
			begin(trial, now, steps);
	} else if (passed >= LATE_NS || steps < trial->steps)
		begin(trial, now, steps);
	else if (!trial->counts && passed >= SETTLE_NS) {
		trial->counts = true;
		trial->begin = now;
		trial->steps = steps;
	} else if (trial->counts && passed >= TURN_NS) {
		trial->ns[trial->leaves] += (double)passed;
		trial->made[trial->leaves] += (double)(steps - trial->steps);
		if (is_clear(trial))
			end(trial, now);
		else
			turn_begin(trial, trial->turn + 1, now, steps);
	}
	return trial->leaves;
}
