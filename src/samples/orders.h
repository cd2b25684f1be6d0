/* Orders: the pieces of memory that are to be moved, and to which node (floor: samples; made by repair.c, carried out
 * by the next root that begins a flat region, or else by the sampler).
 *
 * Pages move best while nobody uses them. At the begin of a flat region the workers of that root wait, so the root
 * moves the pages then. If no root comes for a moment, the sampler moves them itself.
 *
 *     NONE -> GIVEN    by the sampler, which has written the orders
 *     GIVEN -> TAKEN   by a root or the sampler, with a compare-and-swap
 *     TAKEN -> NONE    by the same thread, which has written beside each order what came of it
 *     TAKEN -> GIVEN   by the same thread, if that would take too long: the next taker goes on
 *     GIVEN -> NONE    by the sampler, with a compare-and-swap, as it begins or ends
 *
 * Invariant: the orders are the sampler's in NONE, nobody's in GIVEN, and the taker's in TAKEN. The sampler waits for
 * no root: it looks again later. A root never waits. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { FG_ORDERS = 256, FG_ORDER_SPREAD = -1 };
#define FG_ORDERS_NS 50000000 /* a taker gives them back after so long, between two pieces of 16 MiB */

struct fg_order {
	uintptr_t low, high;
	int node;	/* or FG_ORDER_SPREAD: round the nodes of `users` */
	uint64_t users; /* a bit for each node */
	/* What has come of it so far, in pages of 4 KiB, and where it goes on. */
	uintptr_t at;
	unsigned moved, there, refused, no_room;
	uint64_t took_ns;
};

/* The sampler calls these. `give` has n orders, of which the array is the one of fg_orders. */
struct fg_order *fg_orders(void);
void fg_orders_give(unsigned n);
/* The orders have been carried out. Returns how many; 0: there are none, or they are not yet. */
unsigned fg_orders_over(void);
bool fg_orders_wait(void); /* some are given or taken */
/* Orders that nobody has taken are forgotten, because the memory may have changed since. */
void fg_orders_drop(void);
/* Huge pages move as a whole. The kernel makes none, or those that the program has asked for, or as it likes. */
enum fg_pages { FG_PAGES_SMALL, FG_PAGES_SOME_HUGE, FG_PAGES_HUGE };
void fg_orders_pages(enum fg_pages pages);
enum fg_pages fg_orders_pages_are(void);
/* Takes the orders and carries them out, if nobody else has. beside: the members run meanwhile, so that the price is
 * the CPU time of the caller; otherwise all wait for it. */
void fg_orders_carry_out(bool beside);
void fg_orders_after_fork(void);
