/* Drawing of speed-ups over PUs (command). Both axes are logarithmic, and a diagonal shows the ideal. A speed-up
 * may be below 1: then the vertical axis goes down to it. */
#include "draw/curve_svg.h"
#include <math.h>

#define LEFT 64.0
#define TOP 48.0
#define SIDE 480.0
#define LEGEND 190.0

static const char *const colours[] = {"#2f6f9f", "#b0562f", "#4f8f4a", "#8a5fa8", "#a8861f", "#4a8f8f"};
#define N_COLOURS (sizeof colours / sizeof *colours)

static void
text(FILE *file, const char *words)
{
	for (; *words; words++)
		if (*words == '<' || *words == '&')
			fprintf(file, "&#%d;", *words);
		else
			fputc(*words, file);
}

/* The doublings of each axis; `below`: of the vertical one below 1. All doublings have the same length. */
struct scale {
	double across, up, below, length;
};

static double
at_x(const struct scale *scale, double value)
{
	return LEFT + (value <= 1 ? 0 : log2(value) * scale->length);
}

static double
at_y(const struct scale *scale, double value)
{
	return TOP + (scale->up - log2(value)) * scale->length;
}

/* 1, 2, 4 ... or 1/2, 1/4 ... */
static void
tick(FILE *file, const struct scale *scale, int doublings)
{
	double y = at_y(scale, exp2(doublings));
	fprintf(file, "<path d='M%.1f %.1fh%.1f' stroke='%s'/><text x='%.1f' y='%.1f' text-anchor='end'>%s%ld</text>\n",
		LEFT, y, scale->across * scale->length, doublings ? "#e4e1d6" : "#a8a493", LEFT - 8, y + 4,
		doublings < 0 ? "1/" : "", 1L << (doublings < 0 ? -doublings : doublings));
}

static void
axes(FILE *file, const struct scale *scale)
{
	double height = (scale->up + scale->below) * scale->length, bottom = TOP + height;
	for (unsigned i = 0; i <= (unsigned)scale->across; i++) {
		double x = LEFT + i * scale->length;
		fprintf(file,
			"<path d='M%.1f %.1fv%.1f' stroke='#e4e1d6'/><text x='%.1f' y='%.1f' "
			"text-anchor='middle'>%u</text>\n",
			x, TOP, height, x, bottom + 18, 1u << i);
	}
	for (int i = -(int)scale->below; i <= (int)scale->up; i++)
		tick(file, scale, i);
	double ideal = fmin(scale->across, scale->up);
	fprintf(file, "<path d='M%.1f %.1fL%.1f %.1f' stroke='#a8a493' stroke-dasharray='5 4'/>\n", LEFT,
		at_y(scale, 1), LEFT + ideal * scale->length, at_y(scale, exp2(ideal)));
	fprintf(file,
		"<text x='%.1f' y='%.1f' text-anchor='middle'>PUs</text>"
		"<text transform='translate(18 %.1f) rotate(-90)' text-anchor='middle'>speed-up</text>\n",
		LEFT + scale->across * scale->length / 2, bottom + 40, TOP + height / 2);
}

static void
curve(FILE *file, const struct fg_curve *curve, unsigned number, const struct scale *scale)
{
	const char *colour = colours[number % N_COLOURS];
	char step = 'M';
	fprintf(file, "<path fill='none' stroke='%s' stroke-width='2' d='", colour);
	for (unsigned i = 0; i < curve->n; i++) {
		if (curve->y[i] <= 0)
			continue;
		fprintf(file, "%c%.1f %.1f", step, at_x(scale, curve->x[i]), at_y(scale, curve->y[i]));
		step = 'L';
	}
	fputs("'/>\n", file);
	for (unsigned i = 0; i < curve->n; i++)
		if (curve->y[i] > 0)
			fprintf(file,
				"<circle cx='%.1f' cy='%.1f' r='3.5' fill='%s'><title>%g PUs: %.2f</title></circle>\n",
				at_x(scale, curve->x[i]), at_y(scale, curve->y[i]), colour, curve->x[i], curve->y[i]);
	double y = TOP + 14 + 22 * number;
	fprintf(file, "<rect x='%.1f' y='%.1f' width='14' height='4' fill='%s'/><text x='%.1f' y='%.1f'>",
		LEFT + scale->across * scale->length + 20, y - 6, colour, LEFT + scale->across * scale->length + 42, y);
	text(file, curve->name);
	fputs("</text>\n", file);
}

#define BELOW_MOST 16 /* a speed-up of less than 1/65536 is drawn there */

static struct scale
scale_of(const struct fg_curve *curves, unsigned n_curves)
{
	double most = 2, least = 1;
	for (unsigned c = 0; c < n_curves; c++)
		for (unsigned i = 0; i < curves[c].n; i++) {
			most = fmax(most, fmax(curves[c].x[i], curves[c].y[i]));
			if (curves[c].y[i] > 0)
				least = fmin(least, curves[c].y[i]);
		}
	double doublings = ceil(log2(most) - 1e-9), below = fmin(ceil(-log2(least) - 1e-9), BELOW_MOST);
	return (struct scale){doublings, doublings, below > 0 ? below : 0, SIDE / doublings};
}

void
fg_draw_speedups(const char *title, const struct fg_curve *curves, unsigned n_curves, FILE *file)
{
	struct scale scale = scale_of(curves, n_curves);
	double width = LEFT + scale.across * scale.length + LEGEND,
	       height = TOP + (scale.up + scale.below) * scale.length + 60;
	fprintf(file,
		"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %.0f' font-family='sans-serif' "
		"font-size='13' fill='#3c3a33'>\n<rect width='100%%' height='100%%' fill='#fffefb'/>\n<text x='%.0f' "
		"y='26' font-size='16'>",
		width, height, LEFT);
	text(file, title);
	fputs("</text>\n", file);
	axes(file, &scale);
	for (unsigned c = 0; c < n_curves; c++)
		curve(file, &curves[c], c, &scale);
	fputs("</svg>\n", file);
}
