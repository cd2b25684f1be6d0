/* Curve: the time of a region by the number of PUs that it has, from a few measured numbers (floor: share; called by
 * lesson.c, want.c, unit tests and bench).
 *
 * Between two neighbouring points time is a + b / n, as if a part of the work were serial. Beyond the outermost points
 * it goes on as between the last two, but it never falls faster than 1 / n, and never rises. Of a single point nothing
 * is known but that more PUs may help: time is b / n. So what is not known never holds a program back.
 *
 *     optimal: the largest n with speed-up >= 0.8 n   (IWOMP 2010: "within 20% of ideal")
 *     best: the fewest PUs with which it takes at most 3% longer than with the best number
 *
 * These are pure functions. Times are in ns, or in any other unit. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define FG_CURVE_DOUBLINGS 11			     /* 1, 2, 4 ... 1,024 PUs */
#define FG_CURVE_POINTS (2 * FG_CURVE_DOUBLINGS + 2) /* measured and filled in */

/* The points have rising numbers of PUs, and times above 0. */
struct fg_curve {
	unsigned n;
	struct fg_curve_point {
		unsigned pus;
		double ns;
	} point[FG_CURVE_POINTS];
};

/* Adds points, so that those from 1 to `pus` are there at each doubling. The curve has one point or more. Those with
 * more PUs count, and go. */
void fg_curve_fill(struct fg_curve *curve, unsigned pus);
/* All further functions want a curve that was filled for at least so many PUs. */
double fg_curve_ns(const struct fg_curve *curve, unsigned pus);
unsigned fg_curve_optimal(const struct fg_curve *curve);
unsigned fg_curve_best(const struct fg_curve *curve);
/* The sum of regions that run one after the other, `times` of this one. An empty sum is all zero. Both are filled for
 * the same number of PUs. */
void fg_curve_add(struct fg_curve *sum, const struct fg_curve *curve, double times);
/* So many PUs are worth a trial, because no measured point lies near the optimal or best number. At most `pus`; 0:
 * enough is known. The curve has measured points only. */
unsigned fg_curve_probe(const struct fg_curve *curve, unsigned pus);
