/* Segments (floor: samples): see segments.h. */
#include "samples/segments.h"

#include <stdbool.h>

#include "samples/points.h"

#define BORDER 3.0f
#define MIXED 0.35f
#define NODES_MAX 62
#define SMALL_GAP 8 /* parts of the smaller piece */

/* Of the cheapest cut of the points up to this one: whose its last piece is, if the cut is the cheapest of all; and for
 * each owner, whether that piece also has the point before. */
static struct {
	uint64_t went_on;
	unsigned char best;
} step[FG_POINTS];

static float
price(const struct fg_segment_point *point, unsigned owner, unsigned nodes)
{
	if (owner == nodes)
		return MIXED * point->weight;
	return owner == point->user ? 0 : point->weight;
}

/* Owners are the nodes, and `nodes` for a piece that is shared. */
static void
cut(const struct fg_segment_point *points, unsigned n, unsigned nodes)
{
	float cost[NODES_MAX + 1] = {0};
	unsigned best = 0;
	for (unsigned i = 0; i < n; i++) {
		float border = i ? cost[best] + BORDER : 0;
		step[i].went_on = 0;
		for (unsigned owner = 0; owner <= nodes; owner++) {
			bool goes_on = i && cost[owner] <= border;
			step[i].went_on |= (uint64_t)goes_on << owner;
			cost[owner] = (goes_on ? cost[owner] : border) + price(&points[i], owner, nodes);
		}
		best = 0;
		for (unsigned owner = 1; owner <= nodes; owner++)
			if (cost[owner] < cost[best])
				best = owner;
		step[i].best = (unsigned char)best;
	}
}

/* From the last piece to the first. The piece before a border is that of the cheapest cut up to there. */
static unsigned
follow(unsigned n, unsigned nodes, struct fg_segment *segments, unsigned max)
{
	unsigned found = 0, owner = n ? step[n - 1].best : 0, end = n;
	for (unsigned i = n; i-- > 0;) {
		if (step[i].went_on >> owner & 1)
			continue;
		if (found < max)
			segments[found++] = (struct fg_segment){
				.node = owner == nodes ? FG_SEGMENT_SHARED : (int)owner, .first = i, .n = end - i};
		end = i;
		if (i)
			owner = step[i - 1].best;
	}
	for (unsigned i = 0; i < found / 2; i++) {
		struct fg_segment swap = segments[i];
		segments[i] = segments[found - 1 - i];
		segments[found - 1 - i] = swap;
	}
	return found;
}

static void
reach(const struct fg_segment_point *points, struct fg_segment *segment, uintptr_t start, uintptr_t end)
{
	uintptr_t first = points[segment->first].address, last = points[segment->first + segment->n - 1].address;
	uintptr_t beyond = segment->n > 1 ? (last - first) / (segment->n - 1) / 2 : 0;
	segment->low = first - start > beyond ? first - beyond : start;
	segment->high = end - last > beyond + 1 ? last + beyond + 1 : end;
}

/* A border lies behind the last point of one piece, and not behind the first of the next: pieces that were sampled less
 * reach further, but take no points of others. */
static uintptr_t
between(const struct fg_segment_point *points, const struct fg_segment *a, const struct fg_segment *b, uintptr_t wish)
{
	uintptr_t last = points[a->first + a->n - 1].address, next = points[b->first].address;
	return wish >= next || last == next ? next : wish > last ? wish : last + 1;
}

static uintptr_t
smaller(const struct fg_segment *a, const struct fg_segment *b)
{
	uintptr_t one = a->high - a->low, other = b->high - b->low;
	return one < other ? one : other;
}

unsigned
fg_segments_find(const struct fg_segment_point *points, unsigned n, unsigned nodes, uintptr_t start, uintptr_t end,
		 struct fg_segment *segments, unsigned max)
{
	cut(points, n, nodes);
	unsigned found = follow(n, nodes, segments, max);
	for (unsigned i = 0; i < found; i++)
		reach(points, &segments[i], start, end);
	for (unsigned i = 0; i + 1 < found; i++) {
		struct fg_segment *a = &segments[i], *b = a + 1;
		if (b->low < a->high)
			a->high = b->low = between(points, a, b, b->low + (a->high - b->low) / 2);
		else if (b->low - a->high <= smaller(a, b) / SMALL_GAP)
			a->high = b->low = a->high + (b->low - a->high) / 2;
	}
	if (found && segments[0].low - start <= (segments[0].high - segments[0].low) / SMALL_GAP)
		segments[0].low = start;
	struct fg_segment *last = &segments[found ? found - 1 : 0];
	if (found && end - last->high <= (last->high - last->low) / SMALL_GAP)
		last->high = end;
	return found;
}
