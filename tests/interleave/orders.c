/* Orders: a root and the sampler may both take them, and the process may fork meanwhile.
 *
 * Sources: samples/orders.c
 */
#include "samples/orders.h"

#include "interleave/model.h"
#include "memory/where.h"
#include "samples/library.h"

enum { PAGE = 4096, TURNS = 2 };

const struct fg_samples_library *fg_samples_host;

/* The fake kernel has one page for each turn. The plain words find two that move at a time. */
static int at[TURNS + 1];
static unsigned moves[TURNS + 1];
static bool stops; /* the thread that moves stops for ever in the system call */
static struct fg_atomic_u32 asked, stopped, never;

static bool
ask(unsigned n, void *const *pages, int *node)
{
	model_assert(n == 1);
	*node = at[(uintptr_t)*pages / PAGE];
	return true;
}

static void
stop(void)
{
	fg_store_release(&stopped, 1);
	fg_carrier->wake(&stopped, 1);
	for (;;)
		fg_carrier->wait(&never, 0, 0);
}

static bool
move(unsigned n, void *const *pages, const int *to, int *node)
{
	model_assert(n == 1);
	model_point("move_pages");
	if (stops)
		stop();
	moves[(uintptr_t)*pages / PAGE]++;
	at[(uintptr_t)*pages / PAGE] = *node = *to;
	return true;
}

static void
ask_root(void)
{
	fg_store_relaxed(&asked, 1);
}

static const struct fg_where where = {.ask = ask, .move = move};
static struct fg_samples_library library = {.where = &where, .ask_root = ask_root};

static void
setup(void)
{
	library.carrier = &model_carrier;
	fg_samples_host = &library;
}

static void
give(unsigned turn)
{
	fg_orders_pages(turn % 2 ? FG_PAGES_HUGE : FG_PAGES_SMALL);
	fg_orders()[0] = (struct fg_order){.low = turn * PAGE, .high = turn * PAGE + PAGE, .node = (int)turn};
	fg_orders_give(1);
}

/* The orders are over, and what came of them is known. That is told once. */
static void
check_over(unsigned over, unsigned turn)
{
	const struct fg_order *order = &fg_orders()[0];
	model_assert(over == 1 && fg_orders_over() == 0);
	model_assert(order->moved == 1 && !order->there && !order->refused && order->node == (int)turn);
}

/* It carries them out itself, if no root has come so far. */
static void
sampler(void)
{
	for (unsigned turn = 1; turn <= TURNS; turn++) {
		give(turn);
		unsigned over = fg_orders_over();
		if (!over) {
			fg_orders_carry_out(true);
			while (fg_orders_wait())
				fg_carrier->pause();
			over = fg_orders_over();
		}
		check_over(over, turn);
	}
}

static void
root(void)
{
	for (unsigned i = 0; i < 3; i++)
		if (fg_load_relaxed(&asked))
			fg_orders_carry_out(false);
}

static void
each_once(void)
{
	for (unsigned turn = 1; turn <= TURNS; turn++)
		model_assert(moves[turn] == 1 && at[turn] == (int)turn);
}

/* Another root's regions begin at the same time. */
MODEL_SCENARIO(orders, .setup = setup, .thread = {sampler, root}, .check = each_once,
	       .broken = MODEL_BROKEN("weaken fg_orders_give:store_release", "drop fg_orders_give:store_release",
				      "weaken fg_orders_carry_out:cas_acq_rel", "drop fg_orders_carry_out:cas_acq_rel",
				      "weaken fg_orders_carry_out:store_release",
				      "drop fg_orders_carry_out:store_release",
				      "weaken fg_orders_over:load_acquire"));
MODEL_SCENARIO(orders_roots, .setup = setup, .thread = {sampler, root, root}, .check = each_once,
	       .broken = MODEL_BROKEN("drop fg_orders_carry_out:cas_acq_rel"));

/* A root forks while the sampler stands before an order, behind it, or within one. The sampler is no more in the child.
 * There orders can be given again, and nothing comes of the old ones. */
static void
sampler_stops(void *arg)
{
	(void)arg;
	stops = model_oddity(2);
	if (!stops && model_oddity(2))
		stop();
	give(1);
	if (!stops && model_oddity(2))
		stop();
	stops = true;
	fg_orders_carry_out(true);
	model_assert(false);
}

static void
forks(void)
{
	fg_carrier->start(sampler_stops, NULL, "sampler");
	while (!fg_load_acquire(&stopped))
		fg_carrier->wait(&stopped, 0, 0);
	stops = false;
	fg_orders_after_fork();
	model_assert(!fg_orders_wait() && !fg_orders_over());
	fg_orders_carry_out(false);
	model_assert(moves[1] == 0);
	give(2);
	model_assert(fg_orders_wait());
	fg_orders_carry_out(false);
	model_assert(moves[2] == 1);
	check_over(fg_orders_over(), 2);
}
MODEL_SCENARIO(orders_fork, .setup = setup, .thread = {forks},
	       .broken = MODEL_BROKEN("drop fg_orders_after_fork:store_relaxed"));
