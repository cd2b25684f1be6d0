/* Drawing of a machine as SVG, for light and dark (command; called by `forestgomp topo`). */
#pragma once
#include "machine/machine.h"
#include <stdio.h>

#define FG_DRAW_HUES 6

/* The text in a PU's box. */
struct fg_draw_label {
	const char *text; /* NULL: nothing is there */
	unsigned hue;
};

/* `labels` has one for each PU, in the machine's order; NULL: only the machine is drawn. */
void fg_draw_machine(const struct fg_machine *machine, const struct fg_draw_label *labels, FILE *file);
