/* Notebook: the times of regions by their number of PUs, as a text (floor: share; called by kept.c and unit tests). The
 * file of FGOMP_LEARNT is one. A line is a region; what follows a # is a comment:
 *
 *     learnt = 1                                       the version of the format: the first line
 *     region = 1b4c09ff+11e0 32 4=98000 8=61000        build id of its file, offset of its code; threads; PUS=NS ...
 *
 * The regions that were put in last come last. Where there is no room, the first one goes. So neither the text nor the
 * book grows without end. These are pure functions; any bytes may be read. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "share/curve.h"

#define FG_NOTEBOOK_REGIONS 512
#define FG_NOTEBOOK_NAME 72	    /* bytes of a region's name, with the NUL */
#define FG_NOTEBOOK_BYTES (1 << 18) /* any text that is written has room in so many, with the NUL */

/* All zero: nothing is known. */
struct fg_notebook {
	unsigned n;
	struct fg_notebook_region {
		char name[FG_NOTEBOOK_NAME];
		unsigned size; /* threads */
		unsigned n;    /* two points or more, with rising numbers of PUs */
		struct fg_curve_point point[FG_CURVE_DOUBLINGS];
	} region[FG_NOTEBOOK_REGIONS];
};

/* Adds what the text says. Lines that are wrong are left out; *wrong is the number of the first one, 0: there is none.
 * False: the text is another one. An empty one is a notebook. */
bool fg_notebook_read(struct fg_notebook *book, const char *text, unsigned *wrong);
/* NULL: it is not known. */
const struct fg_notebook_region *fg_notebook_find(const struct fg_notebook *book, const char *name, unsigned size);
/* In place of what was known of that region. The region has a name, and a curve of measured points, two or more. */
void fg_notebook_put(struct fg_notebook *book, const char *name, unsigned size, const struct fg_curve *curve);
/* Writes FG_NOTEBOOK_BYTES at most. Returns the length. */
size_t fg_notebook_write(const struct fg_notebook *book, char *text);
