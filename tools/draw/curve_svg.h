/* Drawing of curves over a number of PUs (command; `forestgomp sim --sweep ... --svg`). */
#pragma once
#include <stdio.h>

struct fg_curve {
	const char *name;
	unsigned n;
	const double *x, *y; /* y[i] < 0: there is no point */
};

/* Both axes count in doublings. The diagonal is the ideal speed-up. */
void fg_draw_speedups(const char *title, const struct fg_curve *curves, unsigned n_curves, FILE *file);
