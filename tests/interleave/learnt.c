/* Regions of two threads are timed (share/learnt.h), one at a time, while looks change the number of PUs. No run counts
 * for the region of another. Its PUs are those that there were, or less than twice as many or as few, because a look
 * may read its clock long before it changes them.
 *
 * Sources: base/lock_order.c share/curve.c share/learnt.c share/want.c
 */
#include "share/learnt.h"
#include "interleave/model.h"
#include "share/lesson.h"
#include "share/notebook.h"

#define MS UINT64_C(1000000)
#define LONG_MS 100 /* so long that a run with a change has a mean */
enum { MORE = 4, FEWER = 3 };

static const struct fg_team *const team[2] = {(const void *)8, (const void *)16};
static const char *const names[2] = {"a+8", "b+10"};
static const struct fg_lesson *lesson[2];
static double took[2];

/* In place of lesson.c. The times of the two threads differ. */
void
fg_lesson_note(struct fg_lesson *of, unsigned pus_64, double ns)
{
	unsigned which = ns > 1.5 * LONG_MS * MS;
	model_assert(2 * pus_64 > 64 * FEWER && pus_64 < 2 * 64 * MORE);
	model_assert(ns == (1 + which) * (double)(LONG_MS * MS));
	model_assert(!lesson[which] || lesson[which] == of);
	lesson[which] = of;
	model_assert(lesson[0] != lesson[1]);
	took[which] = ns;
}

void
fg_lesson_read(const struct fg_lesson *of, struct fg_curve *curve)
{
	(void)of;
	curve->n = 0;
}

void
fg_lesson_clear(struct fg_lesson *lesson)
{
	(void)lesson;
}

unsigned
fg_lesson_runs(const struct fg_lesson *of, unsigned pus)
{
	(void)of;
	(void)pus;
	return 0;
}

void
fg_lesson_forget(struct fg_lesson *of, unsigned pus)
{
	(void)of;
	(void)pus;
}

void
fg_lesson_keep(struct fg_lesson *of)
{
	(void)of;
}

void
fg_lesson_read_kept(const struct fg_lesson *of, struct fg_curve *curve)
{
	(void)of;
	curve->n = 2;
}

void
fg_lesson_recall(struct fg_lesson *of, const struct fg_curve_point *point, unsigned n)
{
	(void)of;
	(void)point;
	(void)n;
}

static void
learnt_setup(void)
{
	lesson[0] = lesson[1] = NULL;
	took[0] = took[1] = 0;
	fg_learnt_has(MS, MORE, false);
	fg_learnt_look(MS, true, MORE, MORE, MORE);
}

static void
run(unsigned which, uint64_t now)
{
	bool timed = fg_learnt_begin(now, team[which], (const void *)team[which], 2);
	if (timed || model_broken("both"))
		fg_learnt_end(now + (1 + which) * LONG_MS * MS);
}

static void
learnt_first(void)
{
	run(0, 1000 * MS);
	run(0, 2000 * MS);
}

static void
learnt_second(void)
{
	run(1, 1000 * MS);
}

static void
learnt_looks(void)
{
	fg_learnt_has(1050 * MS, FEWER, false);
	fg_learnt_look(1050 * MS, true, MORE, FEWER, FEWER);
}

static void
learnt_check(void)
{
	model_assert(fg_load_relaxed(&fg_learnt.team) == NULL);
	run(0, 5000 * MS);
	model_assert(took[0] != 0);
}
MODEL_SCENARIO(learnt, .setup = learnt_setup, .thread = {learnt_first, learnt_second, learnt_looks},
	       .check = learnt_check,
	       .broken = MODEL_BROKEN("fault both", "weaken fg_sequence_read:load_acquire",
				      "drop fg_learnt_end:store_release"));

/* Two threads meet two regions that are new, while the program ends. One of them gives a region its name, and the name
 * is whole where it is seen. */
static unsigned named[2][2];

static void
names_setup(void)
{
	memset(named, 0, sizeof named);
}

static void
meets(unsigned which, unsigned by)
{
	if (!fg_learnt_is_new(team[which], 2))
		return;
	named[by][which] = 1;
	fg_learnt_recall(team[which], 2, names[which], NULL);
}

static void
names_first(void)
{
	meets(0, 0);
	meets(1, 0);
}

static void
names_second(void)
{
	meets(1, 1);
	meets(0, 1);
}

static unsigned
names_seen(void)
{
	char name[FG_NOTEBOOK_NAME];
	unsigned place = 0, size, n = 0;
	struct fg_curve curve;
	for (; fg_learnt_kept(&place, name, &size, &curve); n++)
		model_assert(size == 2 && (strcmp(name, names[0]) == 0 || strcmp(name, names[1]) == 0));
	return n;
}

static void
names_end(void)
{
	names_seen();
}

static void
names_check(void)
{
	model_assert(named[0][0] + named[1][0] == 1 && named[0][1] + named[1][1] == 1);
	model_assert(names_seen() == 2);
}
MODEL_SCENARIO(learnt_names, .setup = names_setup, .thread = {names_first, names_second, names_end},
	       .check = names_check,
	       .broken = MODEL_BROKEN("weaken fg_learnt_recall:store_release", "weaken fg_learnt_kept:load_acquire",
				      "drop fg_learnt_is_new:cas_relaxed"));
