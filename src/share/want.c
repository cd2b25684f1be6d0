/* Want (floor: share): see want.h. */
#include "share/want.h"

#define TRIAL_NS 40000000
#define TRIAL_RUNS 16 /* all that a lesson keeps */
#define FEW_RUNS 4    /* are enough where time is up */
#define HOLDS_FIRST_NS 1000000000
#define HOLDS_MOST_NS 16000000000

void
fg_want_drop(struct fg_want *want)
{
	want->optimal = want->best = want->tries = 0;
}

static void
settle(struct fg_lesson *lesson, uint64_t now, unsigned best)
{
	bool same = lesson->best == best;
	fg_lesson_keep(lesson);
	lesson->best = best;
	lesson->holds = !lesson->holds || !same		    ? HOLDS_FIRST_NS
			: 2 * lesson->holds < HOLDS_MOST_NS ? 2 * lesson->holds
							    : HOLDS_MOST_NS;
	lesson->settled = now;
}

/* The next number that is worth a trial; 0: there is none. */
static unsigned
next_trial(const struct fg_lesson *lesson, unsigned most)
{
	struct fg_curve curve;
	fg_lesson_read(lesson, &curve);
	unsigned pus = fg_curve_probe(&curve, most);
	return pus < most ? pus : 0;
}

/* The trial goes on. */
static bool
is_trying(const struct fg_want *want, uint64_t now, const struct fg_lesson *lesson)
{
	return want->tries && now - want->since < TRIAL_NS && fg_lesson_runs(lesson, want->tries) < TRIAL_RUNS;
}

/* What is known, or was given up, holds. */
static bool
is_settled(const struct fg_lesson *lesson, uint64_t now)
{
	return lesson->holds && now - lesson->settled < lesson->holds;
}

static void
try(struct fg_want *want, uint64_t now, struct fg_lesson *lesson, unsigned has, unsigned most)
{
	if (is_trying(want, now, lesson) || (!want->tries && is_settled(lesson, now)))
		return;
	if (!want->tries && lesson->holds)
		fg_lesson_forget(lesson, has);
	bool vain = want->tries && fg_lesson_runs(lesson, want->tries) < FEW_RUNS;
	want->tries = vain ? 0 : next_trial(lesson, most);
	if (want->tries)
		want->since = now;
	else
		settle(lesson, now, want->best);
}

void
fg_want_look(struct fg_want *want, uint64_t now, struct fg_lesson *lesson, const struct fg_curve *sum, unsigned has,
	     unsigned most)
{
	struct fg_curve curve;
	fg_lesson_read(lesson, &curve);
	if (want->of != lesson)
		want->tries = 0;
	want->of = lesson;
	want->optimal = want->best = 0;
	if (curve.n > 1) {
		want->optimal = fg_curve_optimal(sum);
		want->best = fg_curve_best(sum);
	}
	if (curve.n > 0)
		try(want, now, lesson, has, most);
}
