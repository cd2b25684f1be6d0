/* Lesson: what the runs of a region have shown (floor: share; called by learnt.c, want.c, unit tests and bench).
 *
 * A lesson has a point for each doubling of PUs: how many PUs the runs had there, and how long they took, as means of
 * the last 16. Of the first four runs the quickest counts, and later ones count as 1.5 times the mean at most: so a run
 * that lost its PU for a turn of the kernel does little. Each point is one word, so any threads may read and write it.
 * If two write at once, one run is lost. */
#pragma once
#include <stdint.h>

#include "base/atomic.h"
#include "share/curve.h"

/* All zero: nothing is known. */
struct fg_lesson {
	struct fg_atomic_u64 point[FG_CURVE_DOUBLINGS];
	struct fg_atomic_u64 kept[FG_CURVE_DOUBLINGS]; /* the points when enough was known */
	/* The look's (want.c): when all was known, or given up; so long it holds, and the best number then. */
	uint64_t settled, holds;
	unsigned best;
};

/* A run took so long, with so many PUs in the mean, in 64ths. */
void fg_lesson_note(struct fg_lesson *lesson, unsigned pus_64, double ns);
/* The measured points. */
void fg_lesson_read(const struct fg_lesson *lesson, struct fg_curve *curve);
/* The runs of the point around so many PUs, at most 16. */
unsigned fg_lesson_runs(const struct fg_lesson *lesson, unsigned pus);
/* Enough is known: the points are those that a later run may begin with. The look's. */
void fg_lesson_keep(struct fg_lesson *lesson);
/* These points. */
void fg_lesson_read_kept(const struct fg_lesson *lesson, struct fg_curve *curve);
/* Begins with the points of an earlier run. Soon new runs count for more. */
void fg_lesson_recall(struct fg_lesson *lesson, const struct fg_curve_point *point, unsigned n);
/* Nothing is known any more. The look's. */
void fg_lesson_clear(struct fg_lesson *lesson);
/* Forgets all points but the one around so many PUs. */
void fg_lesson_forget(struct fg_lesson *lesson, unsigned pus);
