/* Drawing of speed-ups over PUs (floor: draw). Both axes are logarithmic, and a diagonal shows the ideal. */
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

static double
place(double value, double doublings)
{
	return value <= 1 ? 0 : log2(value) / doublings * SIDE;
}

static void
axes(FILE *file, double doublings)
{
	for (unsigned i = 0; i <= (unsigned)doublings; i++) {
		double at = i / doublings * SIDE;
		fprintf(file,
			"<path d='M%.1f %.1fv%.1f M%.1f %.1fh%.1f' stroke='#e4e1d6'/>"
			"<text x='%.1f' y='%.1f' text-anchor='middle'>%u</text>"
			"<text x='%.1f' y='%.1f' text-anchor='end'>%u</text>\n",
			LEFT + at, TOP, SIDE, LEFT, TOP + SIDE - at, SIDE, LEFT + at, TOP + SIDE + 18, 1u << i,
			LEFT - 8, TOP + SIDE - at + 4, 1u << i);
	}
	fprintf(file, "<path d='M%.1f %.1fL%.1f %.1f' stroke='#a8a493' stroke-dasharray='5 4'/>\n", LEFT, TOP + SIDE,
		LEFT + SIDE, TOP);
	fprintf(file,
		"<text x='%.1f' y='%.1f' text-anchor='middle'>PUs</text>"
		"<text transform='translate(18 %.1f) rotate(-90)' text-anchor='middle'>speed-up</text>\n",
		LEFT + SIDE / 2, TOP + SIDE + 40, TOP + SIDE / 2);
}

static void
curve(FILE *file, const struct fg_curve *curve, unsigned number, double doublings)
{
	const char *colour = colours[number % N_COLOURS];
	char step = 'M';
	fprintf(file, "<path fill='none' stroke='%s' stroke-width='2' d='", colour);
	for (unsigned i = 0; i < curve->n; i++) {
		if (curve->y[i] < 0)
			continue;
		fprintf(file, "%c%.1f %.1f", step, LEFT + place(curve->x[i], doublings),
			TOP + SIDE - place(curve->y[i], doublings));
		step = 'L';
	}
	fputs("'/>\n", file);
	for (unsigned i = 0; i < curve->n; i++)
		if (curve->y[i] >= 0)
			fprintf(file,
				"<circle cx='%.1f' cy='%.1f' r='3.5' fill='%s'><title>%g PUs: %.2f</title></circle>\n",
				LEFT + place(curve->x[i], doublings), TOP + SIDE - place(curve->y[i], doublings),
				colour, curve->x[i], curve->y[i]);
	double y = TOP + 14 + 22 * number;
	fprintf(file, "<rect x='%.1f' y='%.1f' width='14' height='4' fill='%s'/><text x='%.1f' y='%.1f'>",
		LEFT + SIDE + 20, y - 6, colour, LEFT + SIDE + 42, y);
	text(file, curve->name);
	fputs("</text>\n", file);
}

void
fg_draw_speedups(const char *title, const struct fg_curve *curves, unsigned n_curves, FILE *file)
{
	double most = 2;
	for (unsigned c = 0; c < n_curves; c++)
		for (unsigned i = 0; i < curves[c].n; i++)
			most = fmax(most, fmax(curves[c].x[i], curves[c].y[i]));
	double doublings = ceil(log2(most) - 1e-9), width = LEFT + SIDE + LEGEND, height = TOP + SIDE + 60;
	fprintf(file,
		"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %.0f' font-family='sans-serif' font-size='13' "
		"fill='#3c3a33'>\n<rect width='100%%' height='100%%' fill='#fffefb'/>\n<text x='%.0f' y='26' font-size='16'>",
		width, height, LEFT);
	text(file, title);
	fputs("</text>\n", file);
	axes(file, doublings);
	for (unsigned c = 0; c < n_curves; c++)
		curve(file, &curves[c], c, doublings);
	fputs("</svg>\n", file);
}
