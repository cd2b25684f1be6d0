/* Orders (floor: samples): see orders.h.
 *
 * Where the kernel makes huge pages as it likes, one address of a huge page moves all of it, and more of its addresses
 * take time for nothing. So such memory goes in two steps: first one page of each 2 MiB that lie in the order as a
 * whole, then whatever is not there yet. */
#include "samples/orders.h"

#include "base/carrier.h"
#include "memory/where.h"
#include "platform/thread_clock.h"
#include "samples/library.h"

#define PAGE ((uintptr_t)4096)
#define HUGE ((uintptr_t)2 << 20)
#define LIST 512	 /* pages asked for and moved at a time */
#define SLICE (8 * HUGE) /* of an order, until the next look at the time */

enum { NONE, GIVEN, TAKEN };

static struct fg_order orders[FG_ORDERS];
static unsigned n_orders, next_order; /* next_order: the taker's */
static struct fg_atomic_u32 state;
static enum fg_pages pages_are; /* the sampler's; it changes in NONE */
static bool told;		/* the sampler's */

struct fg_order *
fg_orders(void)
{
	return orders;
}

void
fg_orders_pages(enum fg_pages pages)
{
	pages_are = pages;
}

enum fg_pages
fg_orders_pages_are(void)
{
	return pages_are;
}

bool
fg_orders_wait(void)
{
	return fg_load_acquire(&state) != NONE;
}

unsigned
fg_orders_over(void)
{
	if (told || fg_load_acquire(&state) != NONE)
		return 0;
	told = true;
	return n_orders;
}

void
fg_orders_after_fork(void)
{
	fg_store_relaxed(&state, NONE);
	n_orders = 0;
}

static int
goes_to(const struct fg_order *order, uintptr_t page)
{
	if (order->node != FG_ORDER_SPREAD)
		return order->node;
	/* One huge page has one node, even where there are few. */
	uintptr_t turn = (pages_are ? page / HUGE : page / PAGE) % (unsigned)__builtin_popcountll(order->users);
	uint64_t users = order->users;
	for (; turn; turn--)
		users &= users - 1;
	return __builtin_ctzll(users);
}

/* The taker's: the pages of one call, and where they must go and are. */
static struct {
	void *page[LIST];
	int to[LIST], node[LIST];
	unsigned n;
} list;

/* Moves the pages of the list, which are elsewhere. The system tries those that go to one node together, and gives up
 * at a page that others hold. The rest is tried without its first page then, a few times. */
static void
move_away(struct fg_order *order)
{
	enum { TRIES = 4 };
	unsigned first = 0, last = list.n;
	bool may = fg_samples_host->where->move != NULL;
	for (unsigned i = 0; may && i < TRIES && first < last; i++) {
		may = fg_samples_host->where->move(last - first, list.page + first, list.to + first, list.node + first);
		while (may && first < last && list.node[first] == list.to[first])
			first++;
		first += may && first < last;
	}
	for (unsigned i = 0; i < last; i++)
		if (list.node[i] == list.to[i])
			order->moved++;
		else
			order->refused++;
}

/* The program may have said by now where they should lie: some are asked, the first and the last among them. These
 * pages were there a moment ago: of a hole, the system does not tell. */
static bool
are_unbound(void)
{
	enum { ASKED = 8 };
	bool (*unbound)(const void *page) = fg_samples_host->where->unbound;
	bool all = !unbound || unbound(list.page[list.n - 1]);
	for (unsigned i = 0; unbound && all && i < list.n; i += 1 + list.n / ASKED)
		all = unbound(list.page[i]);
	return all;
}

/* Moves those pages of the list that are elsewhere, and leaves only these in it. Pages that nobody has touched are
 * nowhere, and stay. */
static void
move_list(struct fg_order *order)
{
	unsigned n = list.n;
	list.n = 0;
	if (!n || !fg_samples_host->where->ask(n, list.page, list.node))
		return;
	for (unsigned i = 0; i < n; i++) {
		int wanted = goes_to(order, (uintptr_t)list.page[i]);
		order->there += list.node[i] == wanted;
		if (list.node[i] < 0 || list.node[i] == wanted)
			continue;
		list.page[list.n] = list.page[i];
		list.node[list.n] = list.node[i];
		list.to[list.n++] = wanted;
	}
	if (list.n && !are_unbound())
		list.n = 0;
	move_away(order);
}

static void
move_range(struct fg_order *order, uintptr_t low, uintptr_t high)
{
	for (uintptr_t at = low; at < high;) {
		for (list.n = 0; list.n < LIST && at < high; at += PAGE)
			list.page[list.n++] = (void *)at;
		move_list(order);
	}
}

/* The small pages of a huge one, whose first page has just been moved, or not. If nothing is left to move, the others
 * came with it. (They may also have been there before, if it is no huge page. Then a few are counted wrong.) */
static void
move_rest(struct fg_order *order, uintptr_t at, bool first_moved)
{
	struct fg_order before = *order;
	move_range(order, at, at + HUGE);
	unsigned came = !first_moved ? 0 : order->moved == before.moved ? order->there - before.there : 1;
	order->moved += came;
	order->there -= came;
}

/* LIST huge pages at a time. The second step counts again all that the first one has counted. */
static void
move_huge(struct fg_order *order, uintptr_t low, uintptr_t high)
{
	static void *moved[LIST];
	while (low < high) {
		struct fg_order before = *order;
		uintptr_t end = low;
		for (list.n = 0; list.n < LIST && end < high; end += HUGE)
			list.page[list.n++] = (void *)end;
		move_list(order);
		*order = before;
		unsigned n = 0, next = 0;
		for (unsigned i = 0; i < list.n; i++)
			if (list.node[i] == list.to[i])
				moved[n++] = list.page[i];
		for (; low < end; low += HUGE) {
			bool first_moved = next < n && moved[next] == (void *)low;
			next += first_moved;
			move_rest(order, low, first_moved);
		}
	}
}

/* The node has room for so much. Else the system would take memory from other programs for it. */
static bool
has_room(unsigned node, size_t size)
{
	size_t (*room)(unsigned node, bool with_cache) = fg_samples_host->where->room;
	return !room || room(node, true) >= size;
}

/* There is a node for it. An order for several goes on without those that are full. */
static bool
finds_room(struct fg_order *order, size_t size)
{
	if (order->node != FG_ORDER_SPREAD)
		return has_room((unsigned)order->node, size);
	for (uint64_t nodes = order->users; nodes; nodes &= nodes - 1)
		if (!has_room((unsigned)__builtin_ctzll(nodes), size))
			order->users &= ~(nodes & -nodes);
	return (order->users & (order->users - 1)) != 0;
}

static void
move_slice(struct fg_order *order, uintptr_t low, uintptr_t high)
{
	uintptr_t first = (low + HUGE - 1) & ~(HUGE - 1), last = high & ~(HUGE - 1);
	if (pages_are == FG_PAGES_HUGE && first < last) {
		move_range(order, low, first);
		move_huge(order, first, last);
		move_range(order, last, high);
	} else {
		move_range(order, low, high);
	}
}

/* A part of an order, which begins where the last one ended. Where others hold all its pages, or where there is no
 * room, the order ends with it. */
static void
carry_out(struct fg_order *order, bool beside)
{
	uintptr_t low = order->at, end = (order->high + PAGE - 1) & ~(PAGE - 1);
	uintptr_t high = end - low > SLICE ? (low + SLICE) & ~(HUGE - 1) : end;
	unsigned refused = order->refused;
	uint64_t begin = beside ? fg_thread_clock_used(0) : fg_samples_host->carrier->now();
	order->at = high;
	if (finds_room(order, high - low)) {
		move_slice(order, low, high);
		if (order->refused - refused >= (high - low) / PAGE)
			order->high = high;
	} else {
		order->no_room += (unsigned)((order->high - low) / PAGE);
		order->at = order->high;
	}
	order->took_ns += (beside ? fg_thread_clock_used(0) : fg_samples_host->carrier->now()) - begin;
}

void
fg_orders_give(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		orders[i].at = orders[i].low & ~(PAGE - 1);
		orders[i].moved = orders[i].there = orders[i].refused = orders[i].no_room = 0;
		orders[i].took_ns = 0;
	}
	n_orders = n;
	next_order = 0;
	told = false;
	fg_store_release(&state, GIVEN);
	fg_samples_host->ask_root();
}

void
fg_orders_drop(void)
{
	uint32_t given = GIVEN;
	if (!fg_cas_acq_rel(&state, &given, NONE))
		return;
	bool begun = next_order < n_orders && orders[next_order].at > orders[next_order].low;
	n_orders = next_order + begun; /* a taker may have given some back, and what it moved counts */
	told = n_orders == 0;
}

void
fg_orders_carry_out(bool beside)
{
	uint32_t given = GIVEN;
	if (!fg_cas_acq_rel(&state, &given, TAKEN))
		return;
	uint64_t begin = fg_samples_host->carrier->now();
	while (next_order < n_orders && fg_samples_host->carrier->now() - begin < FG_ORDERS_NS) {
		carry_out(&orders[next_order], beside);
		next_order += orders[next_order].at >= orders[next_order].high;
	}
	bool over = next_order == n_orders;
	fg_store_release(&state, over ? NONE : GIVEN);
	if (!over)
		fg_samples_host->ask_root();
}
