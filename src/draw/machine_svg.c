/* Drawing of a machine (floor: draw): boxes in boxes. Rows and columns of children are chosen so that the whole has
 * nearly the shape of a page. */
#include "draw/machine_svg.h"
#include <math.h>
#include <stdlib.h>

#define PAD 12.0
#define GAP 10.0
#define TITLE 24.0
#define PU_WIDTH 54.0
#define PU_HEIGHT 34.0
#define SHAPE 1.6 /* width to height */

struct box {
	double width, height;
	double cell_width, cell_height;
	unsigned columns;
};

static const struct {
	const char *fill, *stroke;
} colours[FG_LEVEL_KINDS] = {[FG_MACHINE] = {"#fbfaf5", "#8a8570"}, [FG_NUMA_NODE] = {"#e4f1e1", "#6f9f68"},
			     [FG_PACKAGE] = {"#e5edf7", "#6f8fb8"}, [FG_DIE] = {"#eee9f6", "#8f7fb0"},
			     [FG_GROUP] = {"#f0efe9", "#9a9683"},   [FG_L3] = {"#fdf1d3", "#c49a3c"},
			     [FG_L2] = {"#fbe4d2", "#c07f4f"},	    [FG_CORE] = {"#f5e3ea", "#b0708a"},
			     [FG_PU] = {"#ffffff", "#5d6b66"}};

static void
title(const struct fg_level *level, char *text, size_t size)
{
	size_t used = strlen(fg_level_name(level, text, size));
	for (unsigned kind = 0; kind < FG_LEVEL_KINDS; kind++)
		if (kind != level->kind && fg_level_is(level, kind) && used < size)
			used += (size_t)snprintf(text + used, size - used, " · %s", fg_level_kind_name(kind));
	if (level->kind == FG_MACHINE && used < size)
		snprintf(text + used, size - used, ": %u PU%s", level->n_pus, level->n_pus == 1 ? "" : "s");
}

/* Measures the boxes of a level and of all levels below it, into boxes[level->number]. */
static void
measure(const struct fg_level *level, struct box *boxes)
{
	struct box *box = &boxes[level->number];
	if (level->n_children == 0) {
		box->width = PU_WIDTH;
		box->height = PU_HEIGHT;
		return;
	}
	for (unsigned i = 0; i < level->n_children; i++) {
		const struct box *child = &boxes[level->children[i]->number];
		measure(level->children[i], boxes);
		box->cell_width = fmax(box->cell_width, child->width);
		box->cell_height = fmax(box->cell_height, child->height);
	}
	double best = INFINITY;
	for (unsigned columns = 1; columns <= level->n_children; columns++) {
		unsigned rows = (level->n_children + columns - 1) / columns;
		double width = columns * (box->cell_width + GAP) - GAP + 2 * PAD;
		double height = rows * (box->cell_height + GAP) - GAP + PAD + TITLE;
		double miss = fabs(log(width / height / SHAPE)) + 0.8 * (rows * columns - level->n_children) / columns;
		if (miss >= best)
			continue;
		best = miss;
		box->columns = columns;
		box->width = width;
		box->height = height;
	}
	char text[160];
	title(level, text, sizeof text);
	box->width = fmax(box->width, 7.0 * (double)strlen(text) + 2 * PAD);
}

static void
draw(const struct fg_level *level, const struct box *boxes, double x, double y, FILE *file)
{
	const struct box *box = &boxes[level->number];
	char text[160];
	title(level, text, sizeof text);
	fprintf(file, "<g><title>%s</title>", text);
	fprintf(file,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%d\" fill=\"%s\" stroke=\"%s\"/>", x,
		y, box->width, box->height, level->kind == FG_PU ? 4 : 7, colours[level->kind].fill,
		colours[level->kind].stroke);
	if (level->n_children == 0)
		fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">PU %u</text></g>\n",
			x + box->width / 2, y + box->height / 2 + 4, level->os_index);
	else
		fprintf(file, "<text x=\"%.1f\" y=\"%.1f\"%s>%s</text></g>\n", x + PAD, y + 17,
			level->kind == FG_MACHINE ? " font-weight=\"600\"" : "", text);
	/* A title may have made the box wider than its content. */
	double left = x + (box->width - (box->columns * (box->cell_width + GAP) - GAP)) / 2;
	for (unsigned i = 0; i < level->n_children; i++) {
		const struct box *child = &boxes[level->children[i]->number];
		draw(level->children[i], boxes,
		     left + i % box->columns * (box->cell_width + GAP) + (box->cell_width - child->width) / 2,
		     y + TITLE + i / box->columns * (box->cell_height + GAP), file);
	}
}

void
fg_draw_machine(const struct fg_machine *machine, FILE *file)
{
	struct box *boxes = calloc(machine->n_levels, sizeof *boxes);
	measure(machine->root, boxes);
	double width = boxes[0].width + 2 * PAD, height = boxes[0].height + 2 * PAD;
	fprintf(file,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
		"font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n<g fill=\"#2b2b26\">\n",
		width, height, width, height);
	draw(machine->root, boxes, PAD, PAD, file);
	fprintf(file, "</g>\n</svg>\n");
	free(boxes);
}
