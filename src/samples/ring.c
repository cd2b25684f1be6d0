/* Ring (floor: samples): see ring.h. */
#include "samples/ring.h"

#include <assert.h>

#include "platform/map.h"

#define SLOTS 512

enum { EMPTY, WRITING, FULL };

struct slot {
	struct fg_sample sample; /* it comes first: fg_ring_written and fg_ring_taken find the slot by it */
	struct fg_atomic_u32 state;
};

static struct slot *slots;
static struct fg_atomic_u32 writes, lost;
static uint32_t reads; /* the sampler's */

bool
fg_ring_make(void)
{
	if (!slots)
		slots = fg_map(SLOTS * sizeof *slots);
	return slots;
}

struct fg_sample *
fg_ring_write(void)
{
	struct slot *slot = &slots[fg_add_relaxed(&writes, 1) % SLOTS];
	uint32_t empty = EMPTY;
	if (fg_cas_acq_rel(&slot->state, &empty, WRITING))
		return &slot->sample;
	fg_add_relaxed(&lost, 1);
	return NULL;
}

void
fg_ring_written(struct fg_sample *sample)
{
	struct slot *slot = (struct slot *)sample;
	assert(fg_load_relaxed(&slot->state) == WRITING);
	fg_store_release(&slot->state, FULL);
}

/* A slot whose writer is not done yet, or was lost, is left for the next time round. */
const struct fg_sample *
fg_ring_read(void)
{
	uint32_t end = fg_load_relaxed(&writes);
	if (end - reads > SLOTS)
		reads = end - SLOTS;
	for (; reads != end; reads++) {
		struct slot *slot = &slots[reads % SLOTS];
		if (fg_load_acquire(&slot->state) == FULL)
			return &slot->sample;
	}
	return NULL;
}

void
fg_ring_taken(const struct fg_sample *sample)
{
	struct slot *slot = (struct slot *)(uintptr_t)sample;
	assert(fg_load_relaxed(&slot->state) == FULL);
	reads++;
	fg_store_release(&slot->state, EMPTY);
}

unsigned
fg_ring_lost(void)
{
	return fg_exchange_acquire(&lost, 0);
}

void
fg_ring_after_fork(void)
{
	for (unsigned i = 0; slots && i < SLOTS; i++)
		fg_store_relaxed(&slots[i].state, EMPTY);
}
