/* Doacross: set-up, post and wait (floor: team; see doacross.h). */
#include "team/share/doacross.h"
#include "base/log.h"
#include "platform/memory.h"
#include "team/share/reduction.h"

#define LINE 64
#define FEW_OWNERS 4096

static bool
is_static(const struct fg_workshare *share)
{
	return share->kind == FG_SHARE_STATIC_BLOCK || share->kind == FG_SHARE_STATIC_CHUNKS;
}

static uint64_t
owner_count(const struct fg_workshare *share)
{
	if (is_static(share))
		return share->size;
	if (share->kind == FG_SHARE_GUIDED)
		return share->trips;
	return share->trips ? (share->trips - 1) / share->chunk + 1 : 0;
}

/* A division of 64 bits takes much longer on many processors. */
static uint64_t
quotient(uint64_t a, uint64_t b)
{
	return (a | b) >> 32 ? a / b : (uint32_t)a / (uint32_t)b;
}

/* Finds the owner of an outermost iteration, and its other iterations around this one. */
static struct fg_doacross_owner
owner_of(const struct fg_workshare *share, uint64_t outer)
{
	const struct fg_doacross *doacross = share->doacross;
	uint64_t number, first, count;
	if (share->kind == FG_SHARE_STATIC_BLOCK) {
		uint64_t block = quotient(share->trips, share->size), longer = share->trips - block * share->size;
		uint64_t in_longer = longer * (block + 1);
		bool is_longer = outer < in_longer;
		count = block + is_longer;
		number = is_longer ? quotient(outer, count) : longer + quotient(outer - in_longer, count);
		first = number * block + (is_longer ? number : longer);
	} else if (share->kind == FG_SHARE_GUIDED) {
		number = first = outer;
		count = 1;
	} else {
		count = share->chunk;
		number = count == 1 ? outer : quotient(outer, count);
		first = number * count;
		if (share->kind == FG_SHARE_STATIC_CHUNKS)
			number -= quotient(number, share->size) * share->size;
	}
	return (struct fg_doacross_owner){first, count, &doacross->word[number * doacross->spacing]};
}

/* One block holds the structure with its weights, the members, and the words. False: it is too large. */
static bool
bytes_of(unsigned dimensions, unsigned members, uint64_t words, size_t *header, size_t *bytes)
{
	*header = (sizeof(struct fg_doacross) + dimensions * sizeof(uint64_t) + LINE - 1) & ~(size_t)(LINE - 1);
	return !__builtin_mul_overflow(words, sizeof(struct fg_doacross_word), bytes) &&
	       !__builtin_add_overflow(*bytes, *header + members * sizeof(struct fg_doacross_member), bytes);
}

static void
weights_set(struct fg_doacross *doacross, unsigned dimensions, const uint64_t *counts)
{
	uint64_t number = 1;
	doacross->dimensions = dimensions;
	doacross->numbered = true;
	for (unsigned i = dimensions; i-- > 0;) {
		doacross->weight[i] = number;
		if (__builtin_mul_overflow(number, counts[i], &number) || number == UINT64_MAX)
			doacross->numbered = false;
	}
}

/* The first member calls it, after fg_loop_set_up. False: there is no memory. */
static bool
doacross_set_up(struct fg_workshare *share, unsigned dimensions, const uint64_t *counts)
{
	uint64_t owners = owner_count(share), words;
	if (share->size == 1 || owners == 0)
		return true;
	unsigned spacing = owners <= FEW_OWNERS ? LINE / sizeof(struct fg_doacross_word) : 1;
	size_t header, bytes;
	struct fg_doacross *doacross;
	if (__builtin_mul_overflow(owners, spacing, &words) ||
	    !bytes_of(dimensions, share->size, words, &header, &bytes) || !(doacross = fg_memory_aligned(LINE, bytes)))
		return false;
	fg_await_init(&doacross->await);
	weights_set(doacross, dimensions, counts);
	doacross->spacing = spacing;
	doacross->member = (struct fg_doacross_member *)((char *)doacross + header);
	doacross->word = (struct fg_doacross_word *)(doacross->member + share->size);
	for (unsigned i = 0; i < share->size; i++)
		doacross->member[i] = (struct fg_doacross_member){0};
	for (uint64_t i = 0; i < words; i += spacing) {
		fg_store_relaxed(&doacross->word[i].done, 0);
		fg_store_relaxed(&doacross->word[i].wanted, UINT64_MAX);
	}
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

void
fg_doacross_free(struct fg_doacross *doacross)
{
	fg_memory_free(doacross);
}

static struct fg_doacross_word *
word_of(const struct fg_workshare *share, struct fg_doacross_owner *owner, uint64_t outer)
{
	if (outer - owner->first >= owner->count) {
		if (!share->doacross->numbered)
			fg_fatal("A doacross loop nest of %u loops has more than 2^64 - 2 iterations: they cannot be "
				 "numbered",
				 share->doacross->dimensions);
		*owner = owner_of(share, outer);
	}
	return owner->word;
}

void
fg_doacross_wake(struct fg_identity *self, struct fg_doacross_word *word, uint64_t done)
{
	fg_assert_outside(self);
	fg_fence_seq_cst();
	if (done <= fg_load_relaxed(&word->wanted))
		return;
	fg_enter(self);
	fg_store_relaxed(&word->wanted, UINT64_MAX);
	fg_unpark(word, UINT_MAX);
	fg_leave(self);
}

void
fg_doacross_post_slow(struct fg_identity *self, uint64_t outer, uint64_t done)
{
	fg_assert_outside(self);
	struct fg_doacross *doacross = fg_doacross_current(self);
	struct fg_doacross_word *word = word_of(self->thread.share, &doacross->member[self->thread.num].posted, outer);
	fg_happens_before(word);
	fg_store_release(&word->done, done);
	if (fg_await_parks(&doacross->await))
		fg_doacross_wake(self, word, done);
}

struct wait {
	struct fg_doacross_word *word;
	uint64_t number;
};

static bool
not_done(void *arg)
{
	const struct wait *wait = arg;
	return fg_load_acquire(&wait->word->done) <= wait->number;
}

/* The caller holds the lock of the bucket, and is counted there. */
static bool
still_waits(void *arg)
{
	const struct wait *wait = arg;
	if (wait->number < fg_load_relaxed(&wait->word->wanted))
		fg_store_relaxed(&wait->word->wanted, wait->number);
	fg_fence_seq_cst();
	return not_done(arg);
}

void
fg_doacross_wait_slow(struct fg_identity *self, uint64_t outer, uint64_t number)
{
	fg_assert_outside(self);
	struct fg_doacross *doacross = fg_doacross_current(self);
	struct wait wait = {word_of(self->thread.share, &doacross->member[self->thread.num].awaited, outer), number};
	if (not_done(&wait)) {
		fg_enter(self);
		fg_await(&doacross->await, wait.word, not_done, still_waits, &wait);
		fg_leave(self);
	}
	fg_happens_after(wait.word);
}
