/* Fetch (floor: forest): see fetch.h.
 *
 * The comers of a cache take its lock `fetch.lock` in turn. A comer that finds members that were brought takes one of
 * them. A comer that finds none claims something from the level. If that is a member of a bubble, the comer also brings
 * members of the same bubble, one for each other comer. A member that was brought counts as born, so the region does
 * not end before a comer has run it. No member may be left:
 *
 *     members brought and not taken <= comers that have not had the lock
 *
 * Proof. Both sides change under the lock only, but for comers that are counted: they raise the right side. A holder of
 * the lock leaves the right side. If it takes a member that was brought, it lowers both sides by one. If it finds none,
 * the left side is 0. It then brings at most as many as it has read in `comers`, itself left out. The count may be an
 * old one. But each decrement was made under the lock, so the reader knows all of them, and misses only increments.
 * Each comer that is counted takes the lock, because nothing lies between the two. Then it takes a member if there is
 * one.
 *
 * A worker that may not take everything is no comer: it serves one root alone, or has no donor. */
#include "forest/fetch.h"

static void
take_brought(struct fg_fetch *fetch, struct fg_claim *claim)
{
	claim->bubble = fetch->bubble;
	claim->member = fetch->member++;
	claim->queue = fetch->queue;
	fetch->left--;
}

/* The members of a bubble are born in the order of their numbers. */
static void
bring_locked(struct fg_fetch *fetch, const struct fg_claim *claim)
{
	struct fg_bubble *bubble = claim->bubble;
	unsigned others = fg_load_relaxed(&fetch->comers) - 1;
	fetch->bubble = bubble;
	fetch->member = claim->member + 1;
	fetch->queue = claim->queue;
	while (fetch->left < others && bubble->born < bubble->size) {
		fg_bubble_born_locked(bubble);
		fetch->left++;
	}
}

static bool
fetch_locked(struct fg_runqueue *queue, struct fg_fetch *fetch, struct fg_claim *claim)
{
	if (!fg_runqueue_has_work(queue))
		return false;
	fg_spinlock_lock(&queue->lock);
	bool got = fg_runqueue_claim_locked(queue, FG_NEWEST, false, claim);
	if (got && claim->bubble && !claim->freed)
		bring_locked(fetch, claim);
	fg_spinlock_unlock(&queue->lock);
	return got;
}

bool
fg_fetch(struct fg_runqueue *queue, struct fg_runqueue *cache, struct fg_claim *claim)
{
	struct fg_fetch *fetch = &cache->fetch;
	assert(fg_fetch_suits(queue, cache));
	if (claim->only || claim->threads_only)
		return fg_runqueue_claim(queue, FG_NEWEST, false, claim);
	fg_add_relaxed(&fetch->comers, 1);
	fg_spinlock_lock(&fetch->lock);
	bool got = fetch->left != 0;
	if (got)
		take_brought(fetch, claim);
	else
		got = fetch_locked(queue, fetch, claim);
	fg_add_relaxed(&fetch->comers, -1u);
	fg_spinlock_unlock(&fetch->lock);
	assert(!got || fg_claim_valid(claim));
	return got;
}
