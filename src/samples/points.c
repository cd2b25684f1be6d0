/* Points (floor: samples): see points.h. */
#include "samples/points.h"

#include "platform/map.h"

static struct fg_point *points;
static uint64_t n; /* that ever were */

bool
fg_points_make(void)
{
	if (!points)
		points = fg_map(FG_POINTS * sizeof *points);
	return points;
}

void
fg_point_add(struct fg_point point)
{
	points[n++ % FG_POINTS] = point;
}

unsigned
fg_points_count(void)
{
	return n < FG_POINTS ? (unsigned)n : FG_POINTS;
}

struct fg_point *
fg_point(unsigned age)
{
	return &points[(n - 1 - age) % FG_POINTS];
}

void
fg_points_drop(void)
{
	n = 0;
}
