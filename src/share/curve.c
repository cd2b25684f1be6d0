/* Curve (floor: share): see curve.h. */
#include "share/curve.h"

#include <assert.h>

#define WORTH 0.8
#define NEARLY 1.03
#define FIRST_STEP 4 /* the first trial is with a quarter of the PUs */

/* Time is fixed + divided / n. */
struct line {
	double fixed, divided;
};

static struct line
through(const struct fg_curve_point *a, const struct fg_curve_point *b)
{
	double divided = (a->ns - b->ns) / (1. / a->pus - 1. / b->pus);
	return (struct line){a->ns - divided / a->pus, divided};
}

static double
at(struct line line, unsigned pus)
{
	return line.fixed + line.divided / pus;
}

/* Beyond the outermost point `end`, next to which lies `next`. */
static double
beyond(const struct fg_curve_point *end, const struct fg_curve_point *next, unsigned pus)
{
	double ideal = end->ns * end->pus / pus, ns = next ? at(through(end, next), pus) : ideal;
	double least = pus < end->pus ? end->ns : ideal, most = pus < end->pus ? ideal : end->ns;
	return ns < least ? least : ns > most ? most : ns;
}

/* Between two points, or at one. */
static double
within(const struct fg_curve *curve, unsigned pus)
{
	unsigned i = 0;
	while (curve->point[i].pus < pus)
		i++;
	const struct fg_curve_point *found = &curve->point[i];
	return found->pus == pus ? found->ns : at(through(found - 1, found), pus);
}

static double
estimate(const struct fg_curve *curve, unsigned pus)
{
	const struct fg_curve_point *first = curve->point, *last = first + curve->n - 1;
	bool several = curve->n > 1;
	if (pus < first->pus)
		return beyond(first, several ? first + 1 : NULL, pus);
	if (pus > last->pus)
		return beyond(last, several ? last - 1 : NULL, pus);
	return within(curve, pus);
}

void
fg_curve_fill(struct fg_curve *curve, unsigned pus)
{
	struct fg_curve filled = {0};
	assert(curve->n > 0 && pus > 0);
	unsigned i = 0, next = 1;
	for (bool more = true; more;) {
		bool measured = i < curve->n && curve->point[i].pus <= next && curve->point[i].pus <= pus;
		unsigned here = measured ? curve->point[i].pus : next < pus ? next : pus;
		filled.point[filled.n++] = (struct fg_curve_point){here, estimate(curve, here)};
		i += measured;
		next *= here == next ? 2 : 1;
		more = here < pus;
	}
	*curve = filled;
}

double
fg_curve_ns(const struct fg_curve *curve, unsigned pus)
{
	assert(curve->n > 0 && pus >= 1 && pus <= curve->point[curve->n - 1].pus);
	return within(curve, pus);
}

/* Between two points n x time is a line, too. So the last part of it that begins low enough has the number. */
unsigned
fg_curve_optimal(const struct fg_curve *curve)
{
	double most = curve->point[0].ns / WORTH; /* of n x time */
	unsigned i = curve->n - 1;
	while (i > 0 && curve->point[i].ns * curve->point[i].pus > most)
		i--;
	if (i == curve->n - 1)
		return curve->point[i].pus;
	struct line line = through(&curve->point[i], &curve->point[i + 1]);
	double optimal = (most - line.divided) / line.fixed;
	unsigned least = curve->point[i].pus, next = curve->point[i + 1].pus;
	return optimal < least ? least : optimal >= next ? next - 1 : (unsigned)optimal;
}

/* Each part rises or falls, so the least time is at a point. */
unsigned
fg_curve_best(const struct fg_curve *curve)
{
	unsigned best = 0, i = 0;
	for (unsigned k = 1; k < curve->n; k++)
		if (curve->point[k].ns < curve->point[best].ns)
			best = k;
	double most = curve->point[best].ns * NEARLY;
	while (curve->point[i].ns > most)
		i++;
	if (i == 0)
		return curve->point[0].pus;
	struct line line = through(&curve->point[i - 1], &curve->point[i]);
	double fewest = line.divided / (most - line.fixed);
	unsigned pus = (unsigned)fewest + (fewest > (unsigned)fewest);
	return pus < curve->point[i].pus ? pus : curve->point[i].pus;
}

void
fg_curve_add(struct fg_curve *sum, const struct fg_curve *curve, double times)
{
	unsigned pus = curve->point[curve->n - 1].pus, n = 0;
	assert(sum->n == 0 || sum->point[sum->n - 1].pus == pus);
	for (unsigned here = 1;; here = 2 * here < pus ? 2 * here : pus) {
		double before = sum->n ? sum->point[n].ns : 0;
		sum->point[n++] = (struct fg_curve_point){here, before + times * within(curve, here)};
		if (here == pus)
			break;
	}
	sum->n = n;
}

/* Less than half as many more, or fewer. */
static bool
has_near(const struct fg_curve *curve, unsigned pus)
{
	for (unsigned i = 0; i < curve->n; i++)
		if (2 * curve->point[i].pus < 3 * pus && 3 * curve->point[i].pus > 2 * pus)
			return true;
	return false;
}

unsigned
fg_curve_probe(const struct fg_curve *curve, unsigned pus)
{
	struct fg_curve filled = *curve;
	if (curve->n == 0 || pus == 1)
		return 0;
	if (curve->n == 1) {
		unsigned first = curve->point[0].pus < pus ? curve->point[0].pus : pus;
		return first == 1 ? pus : (first + FIRST_STEP - 1) / FIRST_STEP;
	}
	fg_curve_fill(&filled, pus);
	unsigned optimal = fg_curve_optimal(&filled), best = fg_curve_best(&filled);
	return !has_near(curve, optimal) ? optimal : !has_near(curve, best) ? best : 0;
}
