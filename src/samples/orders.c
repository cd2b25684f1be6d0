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
#define LIST 512 /* pages asked for and moved at a time */

enum { NONE, GIVEN, TAKEN };

static struct fg_order orders[FG_ORDERS];
static unsigned n_orders;
static struct fg_atomic_u32 state;
static bool huge_pages, told; /* the sampler's; huge_pages changes in NONE */

struct fg_order *
fg_orders(void)
{
	return orders;
}

void
fg_orders_huge(bool huge)
{
	huge_pages = huge;
}

bool
fg_orders_are_huge(void)
{
	return huge_pages;
}

void
fg_orders_give(unsigned n)
{
	n_orders = n;
	told = false;
	fg_store_release(&state, GIVEN);
	fg_samples_host->ask_root();
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
	uintptr_t turn = (huge_pages ? page / HUGE : page / PAGE) % (unsigned)__builtin_popcountll(order->users);
	uint64_t users = order->users;
	for (; turn; turn--)
		users &= users - 1;
	return __builtin_ctzll(users);
}

/* Moves those of n pages that are elsewhere. Pages that nobody has touched are nowhere, and stay. */
static void
move_list(struct fg_order *order, unsigned n, void **page)
{
	static int node[LIST], to[LIST]; /* of the taker */
	unsigned away = 0;
	if (!n || !fg_samples_host->where->ask(n, page, node))
		return;
	for (unsigned i = 0; i < n; i++) {
		int wanted = goes_to(order, (uintptr_t)page[i]);
		order->there += node[i] == wanted;
		if (node[i] < 0 || node[i] == wanted)
			continue;
		page[away] = page[i];
		to[away++] = wanted;
	}
	if (!away)
		return;
	if (!fg_samples_host->where->move || !fg_samples_host->where->move(away, page, to, node)) {
		order->refused += away;
		return;
	}
	for (unsigned i = 0; i < away; i++)
		if (node[i] == to[i])
			order->moved++;
		else
			order->refused++;
}

static void
move_range(struct fg_order *order, uintptr_t low, uintptr_t high, uintptr_t step)
{
	static void *page[LIST];
	unsigned n = 0;
	for (uintptr_t at = low; at < high; at += step) {
		page[n++] = (void *)at;
		if (n == LIST) {
			move_list(order, n, page);
			n = 0;
		}
	}
	move_list(order, n, page);
}

/* What the first step has moved counts as whole, and what was there before is counted by the second. */
static void
carry_out(struct fg_order *order, bool beside)
{
	uintptr_t low = order->low & ~(PAGE - 1), high = (order->high + PAGE - 1) & ~(PAGE - 1);
	uintptr_t first = (low + HUGE - 1) & ~(HUGE - 1), last = high & ~(HUGE - 1);
	uint64_t begin = beside ? fg_thread_clock_used(0) : fg_samples_host->carrier->now();
	order->moved = order->there = order->refused = 0;
	if (huge_pages && first < last) {
		move_range(order, first, last, HUGE);
		order->there = order->refused = 0;
		unsigned heads = order->moved;
		order->moved = 0;
		move_range(order, low, high, PAGE);
		if (heads && order->there >= heads * (HUGE / PAGE) && order->moved < HUGE / PAGE) {
			order->moved += heads * (unsigned)(HUGE / PAGE);
			order->there -= heads * (unsigned)(HUGE / PAGE);
		}
	} else {
		move_range(order, low, high, PAGE);
	}
	order->took_ns = (beside ? fg_thread_clock_used(0) : fg_samples_host->carrier->now()) - begin;
}

void
fg_orders_carry_out(bool beside)
{
	uint32_t given = GIVEN;
	if (!fg_cas_acq_rel(&state, &given, TAKEN))
		return;
	for (unsigned i = 0; i < n_orders; i++)
		carry_out(&orders[i], beside);
	fg_store_release(&state, NONE);
}
