/* The table of regions: calls, time, imbalance, steals, migrations (command; called by `forestgomp trace` and
 * `forestgomp run --stats`). */
#pragma once
#include "draw/summary.h"
#include <stdio.h>

struct fg_table_style {
	const char *bold, *dim, *plain; /* escape sequences, or empty */
	unsigned columns;		/* of the terminal; 0: names are not cut */
	unsigned top;			/* so many regions; 0: all */
};

void fg_table_print(const struct fg_summary *summary, const struct fg_table_style *style, FILE *file);
void fg_table_json(const struct fg_summary *summary, unsigned top, FILE *file);
