/* Lesson (floor: share): see lesson.h. A point is a word: the time as a float, the number of runs, the PUs in 64ths. */
#include "share/lesson.h"

#include <string.h>

#define PARTS 64
#define PUS_BITS 24
#define PUS_MASK ((1u << PUS_BITS) - 1)
#define RUNS_MOST 16
#define FIRST_RUNS 4 /* of these the quickest counts */
#define ODD 1.5f     /* a run that takes so many times as long as usual was disturbed, or the work has changed */

struct point {
	float ns;
	unsigned runs, pus_64;
};

static unsigned
place_of(unsigned pus)
{
	unsigned place = 31 - (unsigned)__builtin_clz(pus ? pus : 1);
	return place < FG_CURVE_DOUBLINGS ? place : FG_CURVE_DOUBLINGS - 1;
}

static struct point
unpack(uint64_t word)
{
	struct point point = {.runs = (uint32_t)word >> PUS_BITS, .pus_64 = (uint32_t)word & PUS_MASK};
	uint32_t bits = (uint32_t)(word >> 32);
	memcpy(&point.ns, &bits, sizeof bits);
	return point;
}

static uint64_t
pack(struct point point)
{
	uint32_t bits;
	memcpy(&bits, &point.ns, sizeof bits);
	return (uint64_t)bits << 32 | point.runs << PUS_BITS | point.pus_64;
}

void
fg_lesson_note(struct fg_lesson *lesson, unsigned pus_64, double ns)
{
	if (pus_64 < PARTS)
		pus_64 = PARTS;
	struct fg_atomic_u64 *word = &lesson->point[place_of(pus_64 / PARTS)];
	struct point point = unpack(fg_load_relaxed(word));
	float time = (float)ns < ODD * point.ns || point.runs < FIRST_RUNS ? (float)ns : ODD * point.ns;
	point.runs += point.runs < RUNS_MOST;
	if (point.runs > FIRST_RUNS)
		point.ns += (time - point.ns) / (float)point.runs;
	else if (point.runs == 1 || time < point.ns)
		point.ns = time;
	point.pus_64 = (unsigned)((int)point.pus_64 + ((int)pus_64 - (int)point.pus_64) / (int)point.runs);
	fg_store_relaxed(word, pack(point));
}

static void
read_points(const struct fg_atomic_u64 *words, struct fg_curve *curve)
{
	curve->n = 0;
	for (unsigned i = 0; i < FG_CURVE_DOUBLINGS; i++) {
		struct point point = unpack(fg_load_relaxed(&words[i]));
		unsigned pus = (point.pus_64 + PARTS / 2) / PARTS, next = 2u << i;
		if (point.runs && point.ns > 0)
			curve->point[curve->n++] = (struct fg_curve_point){pus < next ? pus : next - 1, point.ns};
	}
}

void
fg_lesson_read(const struct fg_lesson *lesson, struct fg_curve *curve)
{
	read_points(lesson->point, curve);
}

void
fg_lesson_read_kept(const struct fg_lesson *lesson, struct fg_curve *curve)
{
	read_points(lesson->kept, curve);
}

void
fg_lesson_keep(struct fg_lesson *lesson)
{
	for (unsigned i = 0; i < FG_CURVE_DOUBLINGS; i++)
		fg_store_relaxed(&lesson->kept[i], fg_load_relaxed(&lesson->point[i]));
}

void
fg_lesson_recall(struct fg_lesson *lesson, const struct fg_curve_point *point, unsigned n)
{
	for (unsigned i = 0; i < n * FIRST_RUNS; i++)
		fg_lesson_note(lesson, PARTS * point[i / FIRST_RUNS].pus, point[i / FIRST_RUNS].ns);
}

unsigned
fg_lesson_runs(const struct fg_lesson *lesson, unsigned pus)
{
	return unpack(fg_load_relaxed(&lesson->point[place_of(pus)])).runs;
}

void
fg_lesson_forget(struct fg_lesson *lesson, unsigned pus)
{
	for (unsigned i = 0; i < FG_CURVE_DOUBLINGS; i++)
		if (i != place_of(pus))
			fg_store_relaxed(&lesson->point[i], 0);
}

void
fg_lesson_clear(struct fg_lesson *lesson)
{
	for (unsigned i = 0; i < FG_CURVE_DOUBLINGS; i++)
		fg_store_relaxed(&lesson->point[i], 0);
	lesson->settled = lesson->holds = 0;
	lesson->best = 0;
}
