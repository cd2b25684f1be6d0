/* Doacross: set-up, post and wait (floor: team; see doacross.h). */
#include "team/share/doacross.h"
#include "base/log.h"
#include "exec/loop/park.h"
#include "platform/memory.h"
#include "team/share/reduction.h"
#include <limits.h>

#define FEW_OWNERS 4096

static uint64_t
owner_count(const struct fg_workshare *share)
{
	switch (share->kind) {
	case FG_SHARE_STATIC_BLOCK:
	case FG_SHARE_STATIC_CHUNKS:
		return share->size;
	case FG_SHARE_GUIDED:
		return share->trips;
	default:
		return share->trips ? (share->trips - 1) / share->chunk + 1 : 0;
	}
}

static uint64_t
owner_of(const struct fg_workshare *share, uint64_t outer)
{
	switch (share->kind) {
	case FG_SHARE_STATIC_BLOCK: {
		uint64_t block = share->trips / share->size, longer = share->trips % share->size;
		uint64_t in_longer = longer * (block + 1);
		return outer < in_longer ? outer / (block + 1) : longer + (outer - in_longer) / block;
	}
	case FG_SHARE_STATIC_CHUNKS:
		return outer / share->chunk % share->size;
	case FG_SHARE_GUIDED:
		return outer;
	default:
		return outer / share->chunk;
	}
}

/* The first member calls it, after fg_loop_set_up. False: there is no memory. */
static bool
doacross_set_up(struct fg_workshare *share, unsigned dimensions, const uint64_t *counts)
{
	uint64_t owners = owner_count(share), words, bytes, number = 1;
	if (share->size == 1 || owners == 0)
		return true;
	struct fg_doacross *doacross = fg_memory_get(sizeof *doacross + dimensions * sizeof doacross->weight[0]);
	unsigned spacing = owners <= FEW_OWNERS ? 64 / sizeof(uint64_t) : 1;
	if (!doacross || __builtin_mul_overflow(owners, spacing, &words) ||
	    __builtin_mul_overflow(words, sizeof(uint64_t), &bytes) ||
	    !(doacross->done = fg_memory_aligned(64, (bytes + 63) / 64 * 64))) {
		fg_memory_free(doacross);
		return false;
	}
	for (uint64_t i = 0; i < words; i++)
		fg_store_relaxed(&doacross->done[i], 0);
	doacross->weight = (uint64_t *)(doacross + 1);
	doacross->numbered = true;
	for (unsigned i = dimensions; i-- > 0;) {
		doacross->weight[i] = number;
		if (__builtin_mul_overflow(number, counts[i], &number) || number == UINT64_MAX)
			doacross->numbered = false;
	}
	doacross->dimensions = dimensions;
	doacross->spacing = spacing;
	share->doacross = doacross;
	return true;
}

/* Without memory, one member alone gets all iterations, in their order. Where the program distributes them itself,
 * this is not possible. */
static void
give_all(struct fg_workshare *share, const uint64_t *from)
{
	if (!from)
		fg_fatal("Out of memory for %llu chunks of a doacross loop", (unsigned long long)owner_count(share));
	fg_loop_give_all(share);
}

bool
fg_doacross_start(struct fg_identity *self, unsigned dimensions, const uint64_t *counts, struct fg_loop *loop,
		  uint64_t *from, uint64_t *to, uintptr_t *reductions, void **memory)
{
	fg_assert_outside(self);
	bool first;
	struct fg_workshare *share = fg_workshare_enter(self, &first);
	if (first) {
		fg_loop_resolve(loop);
		fg_loop_set_up(share, loop);
		if (!doacross_set_up(share, dimensions, counts))
			give_all(share, from);
	}
	if (__builtin_expect(reductions != NULL, 0))
		fg_reduction_workshare_begin(self, share, first, reductions);
	fg_workshare_memory(share, first, memory);
	if (first)
		fg_workshare_publish(self, share);
	return !from || fg_loop_next_of(self, share, from, to);
}

static void
check_numbered(const struct fg_doacross *doacross)
{
	if (__builtin_expect(!doacross->numbered, 0))
		fg_fatal("A doacross loop nest of %u loops has more than 2^64 - 2 iterations: they cannot be numbered",
			 doacross->dimensions);
}

void
fg_doacross_free(struct fg_doacross *doacross)
{
	fg_memory_free(doacross->done);
	fg_memory_free(doacross);
}

void
fg_doacross_post(struct fg_identity *self, const uint64_t *vector)
{
	fg_assert_outside(self);
	struct fg_workshare *share = fg_workshare_current(self);
	struct fg_doacross *doacross = share ? share->doacross : NULL;
	if (!doacross) {
		fg_fence_release();
		return;
	}
	check_numbered(doacross);
	uint64_t number = 0;
	for (unsigned i = 0; i < doacross->dimensions; i++)
		number += vector[i] * doacross->weight[i];
	struct fg_atomic_u64 *done = &doacross->done[owner_of(share, vector[0]) * doacross->spacing];
	fg_enter(self);
	fg_happens_before(done);
	fg_store_release(done, number + 1);
	fg_unpark(done, UINT_MAX);
	fg_leave(self);
}

struct wait {
	struct fg_atomic_u64 *done;
	uint64_t number;
};

static bool
wait_goes_on(void *arg)
{
	struct wait *wait = arg;
	return fg_load_relaxed(wait->done) <= wait->number;
}

void
fg_doacross_wait(struct fg_identity *self, uint64_t first, va_list rest)
{
	fg_assert_outside(self);
	struct fg_workshare *share = fg_workshare_current(self);
	struct fg_doacross *doacross = share ? share->doacross : NULL;
	if (!doacross) {
		fg_fence_acquire();
		return;
	}
	check_numbered(doacross);
	struct wait wait = {&doacross->done[owner_of(share, first) * doacross->spacing], first * doacross->weight[0]};
	for (unsigned i = 1; i < doacross->dimensions; i++)
		wait.number += va_arg(rest, uint64_t) * doacross->weight[i];
	if (fg_load_acquire(wait.done) > wait.number) {
		fg_happens_after(wait.done);
		return;
	}
	struct fg_spin spin = FG_SPIN_INIT;
	fg_enter(self);
	while (fg_load_acquire(wait.done) <= wait.number)
		if (!fg_spin(&spin))
			fg_park(wait.done, wait_goes_on, &wait);
	fg_happens_after(wait.done);
	fg_leave(self);
}
