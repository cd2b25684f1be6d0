/* Drawing of a machine (command): boxes in boxes. Rows and columns of children are chosen so that the whole has
 * nearly the shape of a page. */
#include "draw/machine_svg.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAD 12.0
#define GAP 10.0
#define TITLE 24.0
#define PU_WIDTH 54.0
#define PU_HEIGHT 34.0
#define LINE 15.0 /* of text */
#define SHAPE 1.6 /* width to height */

struct box {
	double width, height;
	double cell_width, cell_height;
	unsigned columns;
};

/* The colours of boxes by light and by dark, and those of members by their outermost one. */
static const char style[] = "<style>\n"
			    "svg { --ground: #ffffff; --ink: #2b2b26; --soft: #6a6a60; color-scheme: light dark; }\n"
			    "rect { stroke-width: 1; }\n.ground { fill: var(--ground); }\ntext { fill: var(--ink); }\n"
			    ".b0 { fill: #fbfaf5; stroke: #8a8570; }\n.b1 { fill: #e4f1e1; stroke: #6f9f68; }\n"
			    ".b2 { fill: #e5edf7; stroke: #6f8fb8; }\n.b3 { fill: #eee9f6; stroke: #8f7fb0; }\n"
			    ".b4 { fill: #f0efe9; stroke: #9a9683; }\n.b5 { fill: #fdf1d3; stroke: #c49a3c; }\n"
			    ".b6 { fill: #fbe4d2; stroke: #c07f4f; }\n.b7 { fill: #f5e3ea; stroke: #b0708a; }\n"
			    ".b8 { fill: #ffffff; stroke: #5d6b66; }\n.empty { fill-opacity: .35; stroke-opacity: .45; "
			    "}\n.soft { fill: var(--soft); }\n"
			    ".m0 { fill: #9fd0ee; stroke: #0072b2; }\n.m1 { fill: #f6d385; stroke: #b97f00; }\n"
			    ".m2 { fill: #93dcc3; stroke: #00805e; }\n.m3 { fill: #eac0d6; stroke: #a85583; }\n"
			    ".m4 { fill: #f5b995; stroke: #c05000; }\n.m5 { fill: #e4dd8c; stroke: #857500; }\n"
			    "@media (prefers-color-scheme: dark) {\n"
			    "svg { --ground: #14171b; --ink: #e4e6e9; --soft: #9aa2ad; }\n"
			    ".b0 { fill: #1b1f24; stroke: #6d7480; }\n.b1 { fill: #1d2b22; stroke: #5d9058; }\n"
			    ".b2 { fill: #1c2735; stroke: #5f83b3; }\n.b3 { fill: #272233; stroke: #8673ad; }\n"
			    ".b4 { fill: #262624; stroke: #85816f; }\n.b5 { fill: #30291a; stroke: #b08a38; }\n"
			    ".b6 { fill: #33261d; stroke: #b0754a; }\n.b7 { fill: #31212a; stroke: #a5657f; }\n"
			    ".b8 { fill: #171b20; stroke: #7d8a86; }\n"
			    ".m0 { fill: #14496b; stroke: #4a9fd8; }\n.m1 { fill: #6b4d0c; stroke: #e8ab2e; }\n"
			    ".m2 { fill: #0f5543; stroke: #2fb58d; }\n.m3 { fill: #673a54; stroke: #d68fb6; }\n"
			    ".m4 { fill: #6e3410; stroke: #ec7a34; }\n.m5 { fill: #575012; stroke: #c9b730; }\n"
			    "}\n</style>\n";

static size_t
append_size(char *text, size_t size, size_t used, const char *format, uint64_t bytes)
{
	double amount = (double)bytes;
	const char *unit = bytes < 1 << 20 ? "KB" : bytes < 1 << 30 ? "MB" : "GB";
	amount /= bytes < 1 << 20 ? 1 << 10 : bytes < 1 << 30 ? 1 << 20 : 1 << 30;
	int added = used < size ? snprintf(text + used, size - used, format, amount, unit) : 0;
	return used + (added > 0 ? (size_t)added : 0);
}

static void
title(const struct fg_level *level, char *text, size_t size)
{
	size_t used = strlen(fg_level_name(level, text, size));
	for (unsigned kind = 0; kind < FG_LEVEL_KINDS; kind++)
		if (kind != level->kind && fg_level_is(level, kind) && used < size)
			used += (size_t)snprintf(text + used, size - used, " · %s", fg_level_kind_name(kind));
	if (level->kind == FG_MACHINE && used < size)
		used += (size_t)snprintf(text + used, size - used, ": %u PU%s", level->n_pus,
					 level->n_pus == 1 ? "" : "s");
	if (level->memory_bytes)
		used = append_size(text, size, used, " · %.3g %s of memory", level->memory_bytes);
	if (level->cache_bytes)
		append_size(text, size, used, level->memory_bytes ? ", cache %.3g %s" : " · %.3g %s",
			    level->cache_bytes);
}

/* Measures the boxes of a level and of all levels below it, into boxes[level->number]. */
static void
measure(const struct fg_level *level, const struct fg_draw_label *labels, struct box *boxes)
{
	struct box *box = &boxes[level->number];
	if (level->n_children == 0) {
		box->width = PU_WIDTH;
		box->height = PU_HEIGHT;
		if (labels)
			box->height += LINE;
		if (labels && labels[level->first_pu].text)
			box->width = fmax(box->width, 7.0 * (double)strlen(labels[level->first_pu].text) + PAD);
		return;
	}
	for (unsigned i = 0; i < level->n_children; i++) {
		const struct box *child = &boxes[level->children[i]->number];
		measure(level->children[i], labels, boxes);
		box->cell_width = fmax(box->cell_width, child->width);
		box->cell_height = fmax(box->cell_height, child->height);
	}
	double best = INFINITY;
	for (unsigned columns = 1; columns <= level->n_children; columns++) {
		unsigned rows = (level->n_children + columns - 1) / columns;
		double width = columns * (box->cell_width + GAP) - GAP + 2 * PAD;
		double height = rows * (box->cell_height + GAP) - GAP + PAD + TITLE;
		double miss = fabs(log(width / height / SHAPE)) + 4.0 * (rows * columns - level->n_children) / columns;
		if (miss >= best)
			continue;
		best = miss;
		box->columns = columns;
		box->width = width;
		box->height = height;
	}
	char text[200];
	title(level, text, sizeof text);
	box->width = fmax(box->width, 7.0 * (double)strlen(text) + 2 * PAD);
}

static void
draw_pu(const struct fg_level *level, const struct fg_draw_label *label, double x, double y, FILE *file)
{
	if (label)
		fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\"%s>%s</text>", x, y + LINE,
			label->text ? " font-weight=\"600\"" : " class=\"soft\"", label->text ? label->text : "–");
	fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">PU %u</text></g>\n", x, y,
		level->os_index == FG_NO_INDEX ? level->first_pu : level->os_index);
}

static void
draw(const struct fg_level *level, const struct fg_draw_label *labels, const struct box *boxes, double x, double y,
     FILE *file)
{
	const struct box *box = &boxes[level->number];
	const struct fg_draw_label *label = labels && level->n_children == 0 ? &labels[level->first_pu] : NULL;
	char text[200], class[16];
	title(level, text, sizeof text);
	snprintf(class, sizeof class,
		 label && label->text ? "m%u"
		 : label	      ? "b%u empty"
				      : "b%u",
		 label && label->text ? label->hue % FG_DRAW_HUES : (unsigned)level->kind);
	fprintf(file, "<g><title>%s</title>", text);
	fprintf(file, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%d\"/>", class, x,
		y, box->width, box->height, level->n_children ? 7 : 4);
	if (level->n_children == 0) {
		draw_pu(level, label, x + box->width / 2, y + PU_HEIGHT / 2 + (label ? 3 : 4), file);
		return;
	}
	fprintf(file, "<text x=\"%.1f\" y=\"%.1f\"%s>%s</text></g>\n", x + PAD, y + 17,
		level->kind == FG_MACHINE ? " font-weight=\"600\"" : "", text);
	/* A title may have made the box wider than its content. */
	double left = x + (box->width - (box->columns * (box->cell_width + GAP) - GAP)) / 2;
	for (unsigned i = 0; i < level->n_children; i++) {
		const struct box *child = &boxes[level->children[i]->number];
		draw(level->children[i], labels, boxes,
		     left + i % box->columns * (box->cell_width + GAP) + (box->cell_width - child->width) / 2,
		     y + TITLE + i / box->columns * (box->cell_height + GAP), file);
	}
}

void
fg_draw_machine(const struct fg_machine *machine, const struct fg_draw_label *labels, FILE *file)
{
	struct box *boxes = calloc(machine->n_levels, sizeof *boxes);
	if (!boxes)
		exit(1);
	measure(machine->root, labels, boxes);
	double width = boxes[0].width + 2 * PAD, height = boxes[0].height + 2 * PAD;
	fprintf(file,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
		"font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n%s"
		"<rect class=\"ground\" width=\"100%%\" height=\"100%%\"/>\n<g>\n",
		width, height, width, height, style);
	draw(machine->root, labels, boxes, PAD, PAD, file);
	fprintf(file, "</g>\n</svg>\n");
	free(boxes);
}
