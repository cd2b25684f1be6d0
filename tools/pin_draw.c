/* A drawing of what members share, by the first candidate and as planned (command). Each hot region has a row: members
 * in the order of their PUs, in boxes of the machine's outermost levels, and an arc between each two that share. An arc
 * that leaves its box is red. Above stand the regions, with how often one followed another. */
#include "pin.h"
#include "command.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MARGIN 20.
#define STEP 34. /* from member to member */
#define RADIUS 13.
#define HEAD 84.   /* of the order of regions */
#define ROW 190.   /* of a region */
#define ARCS 110.  /* the highest arc */
#define LEAST 0.02 /* of the heaviest pair: a lighter one has no arc */
#define REGIONS 12
#define MEMBERS 64

static const char style[] =
	"<style>\n"
	"svg { --ground: #ffffff; --ink: #2b2b26; --soft: #6a6a60; font: 13px sans-serif; color-scheme: light dark; }\n"
	".ground { fill: var(--ground); } text { fill: var(--ink); } .soft { fill: var(--soft); font-size: 11px; }\n"
	".box { fill: #e5edf7; stroke: #6f8fb8; } .member { fill: #fdf1d3; stroke: #c49a3c; }\n"
	".arc { fill: none; stroke: #00805e; } .far { stroke: #c0392b; } .edge { fill: none; stroke: var(--soft); }\n"
	"@media (prefers-color-scheme: dark) {\n"
	"svg { --ground: #14171b; --ink: #e4e6e9; --soft: #9aa2ad; }\n"
	".box { fill: #1c2735; stroke: #5f83b3; } .member { fill: #30291a; stroke: #b08a38; }\n"
	".arc { stroke: #2fb58d; } .far { stroke: #ec6a5a; }\n}\n</style>\n";

struct drawing {
	const struct pin *pin;
	FILE *file;
	unsigned shown[REGIONS], n; /* regions, by time */
	double width;		    /* of a panel */
};

static void
text(FILE *file, double x, double y, const char *class, const char *words)
{
	fprintf(file, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, class);
	for (; *words; words++)
		switch (*words) {
		case '<':
			fputs("&lt;", file);
			break;
		case '>':
			fputs("&gt;", file);
			break;
		case '&':
			fputs("&amp;", file);
			break;
		default:
			fputc((unsigned char)*words < ' ' ? ' ' : *words, file);
		}
	fputs("</text>\n", file);
}

static void
choose(struct drawing *drawing)
{
	const struct pin_sharing *sharing = &drawing->pin->sharing;
	while (drawing->n < REGIONS) {
		unsigned next = FG_NOBODY;
		for (unsigned r = 0; r < sharing->n; r++) {
			bool shown = !sharing->region[r].hot;
			for (unsigned i = 0; i < drawing->n; i++)
				shown |= drawing->shown[i] == r;
			if (!shown && (next == FG_NOBODY || sharing->region[r].time > sharing->region[next].time))
				next = r;
		}
		if (next == FG_NOBODY)
			return;
		drawing->shown[drawing->n++] = next;
	}
}

/* Where the member stands: seats are numbered in the order of PUs. */
static unsigned
place_of(const struct pin *pin, uint16_t pu)
{
	unsigned seat = 0;
	while (seat < pin->seats.n && pin->seats.pu[seat] != pu)
		seat++;
	return seat;
}

/* The level whose children are the boxes: the outermost one that divides the members. */
static const struct fg_level *
divider(const struct pin *pin)
{
	const struct fg_level *level = pin->tree->root;
	for (const struct fg_level *next = level; next; level = next) {
		next = NULL;
		for (unsigned i = 0; i < level->n_children; i++)
			if (fg_seats_below(&pin->seats, level->children[i]).n == pin->seats.n)
				next = level->children[i];
		if (!next)
			break;
	}
	return level;
}

static void
draw_boxes(const struct drawing *drawing, double x, double y)
{
	char name[64];
	const struct fg_level *level = divider(drawing->pin);
	for (unsigned i = 0; i < level->n_children; i++) {
		struct fg_span span = fg_seats_below(&drawing->pin->seats, level->children[i]);
		if (!span.n)
			continue;
		fprintf(drawing->file,
			"<rect class=\"box\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"48\" rx=\"6\"/>\n",
			x + STEP * span.first + 2, y - 18, STEP * span.n - 4);
		if (span.n > 2)
			text(drawing->file, x + STEP * span.first + 8, y + 26, " class=\"soft\"",
			     fg_level_name(level->children[i], name, sizeof name));
	}
}

static void
draw_arcs(const struct drawing *drawing, const struct fg_graph *graph, const uint16_t *pu, double x, double y)
{
	const struct pin *pin = drawing->pin;
	const struct fg_level *above = divider(pin);
	unsigned n = graph->members;
	double most = 0;
	for (size_t i = 0; i < (size_t)n * n; i++)
		most = graph->lines[i] > most ? graph->lines[i] : most;
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < i; k++) {
			double share = most > 0 ? graph->lines[(size_t)i * n + k] / most : 0;
			if (share < LEAST)
				continue;
			double a = place_of(pin, pu[i]), b = place_of(pin, pu[k]), left = a < b ? a : b,
			       length = fabs(a - b), height = ARCS * sqrt(length / n);
			bool far = fg_level_common(pin->tree->pus[pu[i]], pin->tree->pus[pu[k]])->depth <= above->depth;
			fprintf(drawing->file,
				"<path class=\"arc%s\" stroke-width=\"%.1f\" d=\"M%.1f %.1f q%.1f %.1f %.1f 0\"/>\n",
				far ? " far" : "", 0.5 + 4 * share, x + STEP * (left + 0.5), y - RADIUS,
				STEP * length / 2, -2 * height, STEP * length);
		}
}

static void
draw_members(const struct drawing *drawing, const uint16_t *pu, double x, double y)
{
	char number[16];
	for (unsigned k = 0; k < drawing->pin->sharing.members; k++) {
		double at = x + STEP * (place_of(drawing->pin, pu[k]) + 0.5);
		fprintf(drawing->file, "<circle class=\"member\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.0f\"/>\n", at, y,
			RADIUS);
		snprintf(number, sizeof number, "%u", k);
		text(drawing->file, at, y + 4, " text-anchor=\"middle\"", number);
	}
}

static void
draw_panel(const struct drawing *drawing, unsigned region, const uint16_t *pu, double x, double y)
{
	draw_boxes(drawing, x, y);
	draw_arcs(drawing, &drawing->pin->sharing.graphs[region], pu, x, y);
	draw_members(drawing, pu, x, y);
}

/* The regions in a row, and an arc to each that has followed one. Those on top go to the right. */
static void
draw_order(const struct drawing *drawing)
{
	const struct pin_sharing *sharing = &drawing->pin->sharing;
	char words[300];
	double step = (2 * drawing->width + MARGIN) / (drawing->n ? drawing->n : 1), y = MARGIN + 44;
	for (unsigned i = 0; i < drawing->n; i++) {
		double x = MARGIN + step * (i + 0.5);
		snprintf(words, sizeof words, "%s", sharing->region[drawing->shown[i]].label);
		text(drawing->file, x, y + 4, " text-anchor=\"middle\"", words);
		for (unsigned k = 0; k < drawing->n; k++) {
			double times = sharing->follows[(size_t)drawing->shown[i] * sharing->n + drawing->shown[k]],
			       to = MARGIN + step * (k + 0.5), up = k > i ? -1 : 1;
			if (times <= 0 || i == k)
				continue;
			fprintf(drawing->file, "<path class=\"edge\" d=\"M%.1f %.1f q%.1f %.1f %.1f 0\"/>\n", x,
				y + 12 * up, (to - x) / 2, 44 * up, to - x);
			snprintf(words, sizeof words, "%.0f %s", times, k > i ? "\xe2\x86\x92" : "\xe2\x86\x90");
			text(drawing->file, (x + to) / 2, y + (k > i ? -26 : 40),
			     " class=\"soft\" text-anchor=\"middle\"", words);
		}
	}
}

static void
draw(struct drawing *drawing)
{
	const struct pin *pin = drawing->pin;
	double second = 2 * MARGIN + drawing->width;
	char words[400];
	fprintf(drawing->file,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\">\n%s"
		"<rect class=\"ground\" width=\"100%%\" height=\"100%%\"/>\n",
		3 * MARGIN + 2 * drawing->width, 2 * MARGIN + HEAD + ROW * drawing->n, style);
	draw_order(drawing);
	for (unsigned i = 0; i < drawing->n; i++) {
		const struct pin_sharer *one = &pin->sharing.region[drawing->shown[i]];
		double top = MARGIN + HEAD + ROW * i, line = top + ROW - 40;
		snprintf(words, sizeof words, "%s, %" PRIu64 " calls: %s", one->label, one->calls,
			 pin->candidate[pin->planned_from].name);
		text(drawing->file, MARGIN, top + 14, "", words);
		text(drawing->file, second, top + 14, "", "planned");
		draw_panel(drawing, drawing->shown[i], pin->candidate[pin->planned_from].pu, MARGIN, line);
		draw_panel(drawing, drawing->shown[i], pin_plan_pus(pin, drawing->shown[i]), second, line);
	}
	fprintf(drawing->file, "</svg>\n");
}

int
pin_draw(const struct pin *pin)
{
	struct drawing drawing = {.pin = pin, .width = STEP * pin->threads};
	if (!pin->svg)
		return 0;
	if (!pin->shares) {
		complain("pin", "--svg: no data were told that regions use, so there is nothing to draw");
		return 1;
	}
	if (pin->threads > MEMBERS) {
		complain("pin", "--svg: %u members are too many for a drawing, which has %d at most", pin->threads,
			 MEMBERS);
		return 1;
	}
	drawing.file = fopen(pin->svg, "we");
	choose(&drawing);
	if (drawing.file)
		draw(&drawing);
	bool failed = !drawing.file || ferror(drawing.file);
	if ((drawing.file && fclose(drawing.file) != 0) || failed) {
		complain("pin", "cannot write %s: %s", pin->svg, strerror(errno));
		return 1;
	}
	return 0;
}
