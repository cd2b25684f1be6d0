/* Kept: what earlier runs have learnt of their regions, in the file of FGOMP_LEARNT (floor: share; called by the floor
 * team and unit tests; notebook.h has the format).
 *
 * The file is read at the start. It is written at the end, if anything was learnt: read again, because other programs
 * may have written it, and replaced as a whole. Of two programs that end at once, the last one wins. A file that holds
 * something else is never replaced. Numbers of another machine, or of older work, cost time at most, because a want is
 * renewed after a second (want.h). */
#pragma once
#include <stdbool.h>

#include "share/curve.h"

struct fg_notebook_region;

/* There is such a file. Written at the start only. */
extern bool fg_kept_on __attribute__((visibility("hidden")));

/* The library is loaded, and there is one thread. One line says why the file is not used. */
void fg_kept_start(const char *path);
/* What the file knew of a region at the start; NULL: nothing. Any thread may ask. */
const struct fg_notebook_region *fg_kept_find(const char *name, unsigned size);
/* The program ends, and the caller is outside. */
void fg_kept_end(void);
