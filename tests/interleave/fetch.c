/* PUs of a cache fetch members from a level above it, and bring some for each other. A PU of another cache takes
 * members there, too.
 *
 * With: floor
 */
#include "forest/fetch.h"
#include "interleave/floor.h"
#include "interleave/model.h"

#define MEMBERS 5

static struct fg_runqueue top, cache;
static struct fg_bubble bubble;
static struct fg_entity thread;
static unsigned claims[MEMBERS], thread_claims, told;

static void
setup(void)
{
	fg_runqueue_init(&top, NULL, 0, 4);
	fg_runqueue_init(&cache, &top, 0, 2);
	fg_bubble_init(&bubble, MEMBERS);
	thread.kind = FG_ENTITY_THREAD;
}

static void
publish(void)
{
	told = 42;
	fg_runqueue_push(&top, &bubble.entity);
}

static void
note(const struct fg_claim *claim)
{
	model_assert(told == 42 && claim->queue == &top);
	if (claim->thread)
		thread_claims++;
	else
		claims[claim->member]++;
}

static void
fetch(void)
{
	struct fg_claim claim = {0};
	if (fg_fetch(&top, &cache, &claim))
		note(&claim);
}

static void
fetch_twice(void)
{
	fetch();
	fetch();
}

static void
publish_and_fetch(void)
{
	publish();
	fetch();
}

static void
publish_and_take(void)
{
	publish();
	struct fg_claim claim = {0};
	if (fg_runqueue_claim(&top, FG_NEWEST, false, &claim))
		note(&claim);
}

/* None that was brought is left, and each that counts as born was taken once. */
static void
check(void)
{
	model_assert(cache.fetch.left == 0 && fg_load_relaxed(&cache.fetch.comers) == 0);
	for (unsigned k = 1; k < MEMBERS; k++)
		model_assert(claims[k] == (k < bubble.born));
	model_assert((bubble.born == MEMBERS) == (fg_load_relaxed(&bubble.entity.holder) == NULL));
}
MODEL_SCENARIO(fetch_bubble, .setup = setup, .thread = {publish_and_take, fetch_twice, fetch}, .check = check,
	       .broken = MODEL_BROKEN("weaken fg_spinlock_lock:cas_acquire", "drop fg_spinlock_lock:cas_acquire",
				      "weaken fg_spinlock_unlock:exchange_acq_rel", "drop fg_fetch:add_relaxed",
				      "drop fg_holder_remove_locked:store_relaxed"));
MODEL_SCENARIO(fetch_own, .setup = setup, .thread = {publish_and_fetch, fetch, fetch}, .check = check,
	       .broken = MODEL_BROKEN("weaken fg_spinlock_lock:cas_acquire", "drop fg_fetch:add_relaxed"));

/* A ready thread goes first, and is taken once. */
static void
push_thread(void)
{
	publish();
	fg_runqueue_push(&top, &thread);
	fetch();
}

static void
check_thread(void)
{
	check();
	model_assert(thread_claims == 1 || (thread_claims == 0 && fg_load_relaxed(&thread.holder) == &top.holder));
}
MODEL_SCENARIO(fetch_thread, .setup = setup, .thread = {push_thread, fetch, fetch}, .check = check_thread,
	       .broken = MODEL_BROKEN("weaken fg_spinlock_lock:cas_acquire",
				      "weaken fg_spinlock_unlock:exchange_acq_rel", "drop fg_fetch:add_relaxed"));
