/* Repair: is some memory on a wrong node, and does it pay to move it? (floor: samples; called by sampler.c)
 *
 * A piece of memory is moved as soon as the time that has been lost there exceeds the price of moving it. So nothing is
 * foretold, and at most twice the best is paid (ski rental). The time lost is that of the samples whose page was on
 * another node than the CPU, less the time that its present users would lose. Of a piece that several nodes use, all
 * remote samples count, because one memory serves them all. Where the pages of a mapping have moved once, the next move
 * must have lost twice the price, then three times: threads that roam do not take their pages with them for ever. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Gives orders, if there are any. ns: the CPU time for which one sample stands. */
bool fg_repair_decide(uint64_t ns);
/* Orders were carried out: the points, and the price of a page, follow. Returns whether pages have moved. */
bool fg_repair_learn(void);
/* The part of the last points that were remote, though their piece belongs to their node: what orders could still
 * mend. Of 100. */
unsigned fg_repair_left(void);
