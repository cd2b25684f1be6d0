/* Repair (floor: samples): see repair.h. */
#include "samples/repair.h"

#include <string.h>

#include "samples/library.h"
#include "samples/mappings.h"
#include "samples/orders.h"
#include "samples/points.h"
#include "samples/report.h"
#include "samples/segments.h"

#define PAGE 4096
#define HUGE ((uintptr_t)2 << 20)
#define SEGMENTS 256
#define POINTS_MIN 8  /* of a piece that is moved */
#define SHARED_MIN 64 /* of one that goes round the nodes of its users */
#define HALF_LIFE 512 /* points of a mapping */
#define STALL                                                                                                          \
	0.25f /* of a remote access's time would be saved if it were local: half of it waits for memory, half as long */
#define LAST 128	  /* points that tell how things are now */
#define CONCENTRATED 0.8f /* of a shared piece on one node */

static struct {
	float call_ns, page_ns; /* the price of an order, and of a page */
} price = {100e3f, 2e3f};

static struct fg_segment_point sorted[FG_POINTS];
static struct fg_segment segments[SEGMENTS];

/* Heap sort, because the C library's may allocate. */
static void
sink(unsigned i, unsigned n)
{
	struct fg_segment_point point = sorted[i];
	for (unsigned child; (child = 2 * i + 1) < n; i = child) {
		child += child + 1 < n && sorted[child + 1].address > sorted[child].address;
		if (sorted[child].address <= point.address)
			break;
		sorted[i] = sorted[child];
	}
	sorted[i] = point;
}

static void
sort(unsigned n)
{
	for (unsigned i = n / 2; i-- > 0;)
		sink(i, n);
	while (n > 1) {
		struct fg_segment_point last = sorted[--n];
		sorted[n] = sorted[0];
		sorted[0] = last;
		sink(0, n);
	}
}

static unsigned
gather(const struct fg_mapping *mapping)
{
	unsigned n = 0, all = fg_points_count();
	for (unsigned age = 0; age < all; age++) {
		const struct fg_point *point = fg_point(age);
		if (point->address - mapping->start >= mapping->end - mapping->start)
			continue;
		sorted[n] = (struct fg_segment_point){.address = point->address,
						      .weight = (float)HALF_LIFE / (float)(HALF_LIFE + n),
						      .user = point->user,
						      .age = (uint16_t)age};
		n++;
	}
	sort(n);
	return n;
}

/* What moving the piece to its users would have saved, in samples, and how much of it lies elsewhere. */
struct loss {
	float samples, away;
	uint64_t users;
	float most; /* of its points on one node */
};

/* The first of the sorted points that does not lie below the address. */
static unsigned
first_from(uintptr_t address, unsigned n)
{
	unsigned low = 0, high = n;
	while (low < high) {
		unsigned middle = low + (high - low) / 2;
		if (sorted[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct loss
lost(const struct fg_segment *segment, unsigned n)
{
	struct loss loss = {0};
	unsigned count[FG_MAPPING_NODES] = {0}, known = 0, away = 0, most = 0;
	for (unsigned i = first_from(segment->low, n); i < n && sorted[i].address < segment->high; i++) {
		const struct fg_point *point = fg_point(sorted[i].age);
		if (point->page < 0)
			continue;
		known++;
		if (fg_mappings_may_use(point->user))
			loss.users |= UINT64_C(1) << point->user;
		most = ++count[point->page] > most ? count[point->page] : most;
		away += point->page != segment->node;
		if (point->page != point->user && (segment->node < 0 || point->user == segment->node))
			loss.samples += point->share;
		else if (point->page == point->user && segment->node >= 0 && point->user != segment->node)
			loss.samples -= point->share;
	}
	loss.away = known ? (float)away / (float)known : 0;
	loss.most = known ? (float)most / (float)known : 0;
	return loss;
}

static bool
pays(const struct fg_mapping *mapping, const struct fg_segment *segment, const struct loss *loss, uint64_t ns)
{
	float times = 1 + (float)(mapping->moved / ((mapping->end - mapping->start) / PAGE + 1));
	float pages = (float)((segment->high - segment->low) / PAGE) * loss->away;
	if (segment->n < POINTS_MIN || loss->away == 0)
		return false;
	if (segment->node < 0 &&
	    (segment->n < SHARED_MIN || loss->most < CONCENTRATED || __builtin_popcountll(loss->users) < 2))
		return false;
	return loss->samples * (float)ns * STALL > times * (price.call_ns + pages * price.page_ns);
}

/* A huge page goes where most of it belongs. So pieces end between two of them, and a page in which a border lies does
 * not go to and fro. */
static void
align(const struct fg_mapping *mapping, struct fg_segment *segment)
{
	uintptr_t low = (segment->low + HUGE / 2) & ~(HUGE - 1), high = (segment->high + HUGE / 2) & ~(HUGE - 1);
	if (segment->low > mapping->start)
		segment->low = low > mapping->start ? low : mapping->start;
	if (segment->high < mapping->end)
		segment->high = high < mapping->end ? high : mapping->end;
}

static void
note_owner(const struct fg_segment *segment)
{
	for (unsigned i = segment->first; i < segment->first + segment->n; i++)
		fg_point(sorted[i].age)->belongs = segment->node == sorted[i].user;
}

static unsigned
decide(const struct fg_mapping *mapping, uint64_t ns, unsigned n_orders)
{
	unsigned n = gather(mapping);
	unsigned found =
		fg_segments_find(sorted, n, fg_samples_host->nodes, mapping->start, mapping->end, segments, SEGMENTS);
	for (unsigned i = 0; i < found; i++) {
		if (fg_orders_pages_are() == FG_PAGES_HUGE)
			align(mapping, &segments[i]);
		if (segments[i].low >= segments[i].high ||
		    (segments[i].node >= 0 && !fg_mappings_may_use((unsigned)segments[i].node)))
			continue;
		note_owner(&segments[i]);
		if (n_orders == FG_ORDERS)
			continue;
		struct loss loss = lost(&segments[i], n);
		if (!pays(mapping, &segments[i], &loss, ns))
			continue;
		fg_orders()[n_orders++] = (struct fg_order){.low = segments[i].low,
							    .high = segments[i].high,
							    .node = segments[i].node,
							    .users = loss.users};
	}
	return n_orders;
}

bool
fg_repair_decide(uint64_t ns)
{
	unsigned n = 0;
	for (unsigned age = 0; age < LAST && age < fg_points_count(); age++)
		fg_point(age)->belongs = false;
	for (unsigned i = 0; i < fg_mappings_count(); i++)
		if (!fg_mapping(i)->bound && !fg_mapping(i)->stays)
			n = decide(fg_mapping(i), ns, n);
	if (n)
		fg_orders_give(n);
	return n;
}

/* Points of pages that have moved, or that would not, count as mended: only new ones tell. */
static void
mend(const struct fg_order *order)
{
	for (unsigned age = 0; age < fg_points_count(); age++) {
		struct fg_point *point = fg_point(age);
		if (point->address - order->low < order->high - order->low)
			point->page = (signed char)(order->node >= 0 ? order->node : point->user);
	}
}

/* One order may have met a time when all was slow. */
static void
approach(float *value, float seen)
{
	float most = 2 * *value;
	*value += ((seen < most ? seen : most) - *value) / 2;
}

static void
learn_price(const struct fg_order *order)
{
	enum { MANY = 1024 };
	float took = (float)order->took_ns, pages = (float)order->moved;
	if (order->moved >= MANY)
		approach(&price.page_ns, took / pages);
	else if (took > pages * price.page_ns)
		approach(&price.call_ns, took - pages * price.page_ns);
}

bool
fg_repair_learn(void)
{
	unsigned n = fg_orders_over();
	bool moved = false;
	for (unsigned i = 0; i < n; i++) {
		const struct fg_order *order = &fg_orders()[i];
		struct fg_mapping *mapping = fg_mapping_of(order->low);
		if (mapping && order->refused && !order->moved)
			fg_mapping_stays(mapping);
		if (mapping)
			mapping->moved += order->moved;
		moved |= order->moved != 0;
		mend(order);
		learn_price(order);
		fg_report_order(order);
	}
	return moved;
}

unsigned
fg_repair_left(void)
{
	float all = 0, remote = 0;
	unsigned n = fg_points_count() < LAST ? fg_points_count() : LAST;
	for (unsigned age = 0; age < n; age++) {
		const struct fg_point *point = fg_point(age);
		if (point->page < 0)
			continue;
		all += point->share;
		remote += point->belongs && point->page != point->user ? point->share : 0;
	}
	return all > 0 ? (unsigned)(100 * remote / all) : 0;
}
