/* Points: which node used which address, as samples told it (floor: samples; used by sampler.c, repair.c and report.c).
 * The newest FG_POINTS are kept. One thread at a time calls. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { FG_POINTS = 8192 };

struct fg_point {
	uintptr_t address;
	float share;	      /* of its sample: the other accesses of the loop have the rest */
	unsigned char user;   /* the node of the CPU */
	signed char page;     /* the node of the page at that time, or since it was moved; below 0: not known */
	unsigned char region; /* report.h */
	bool writes;
	bool belongs; /* its piece belonged to its user when that was last decided */
};

/* False: there is no memory. */
bool fg_points_make(void);
void fg_point_add(struct fg_point point);
/* How many there are; the newest has the number 0. */
unsigned fg_points_count(void);
struct fg_point *fg_point(unsigned age);
void fg_points_drop(void);
