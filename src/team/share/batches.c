/* Batches (floor: team): see batches.h. */
#include "team/share/batches.h"
#include "exec/flat/groups.h"

#define AHEAD 2	   /* pieces for each worker of a group, in a batch that is taken ahead */
#define MANY 3	   /* chunks for each member that must be left then, as far as the group knows */
#define TURNS 1000 /* much longer than an addition takes where all groups want the counter's line */

/* A word: pieces left, the binary logarithm of their size in chunks, the number of the next chunk. Where the word is
 * FETCHING, the members that wait count themselves instead of the logarithm. */
#define LEFT_BITS 6
#define SHIFT_BITS 6
#define FETCHING 63  /* as pieces left */
#define MOST_LEFT 62 /* and members that are counted */
#define MOST_CHUNKS (UINT64_C(1) << 48)

/* A member notes its part in the low bits of static_trip, + 1; then OVER. The bits above are its least number. */
#define PART_BITS 8
#define OVER 255

struct batch {
	uint64_t number;
	unsigned shift, left;
};

static struct batch
batch_of(uint64_t word)
{
	return (struct batch){.number = word >> (LEFT_BITS + SHIFT_BITS),
			      .shift = (unsigned)(word >> LEFT_BITS) & ((1u << SHIFT_BITS) - 1),
			      .left = (unsigned)word & ((1u << LEFT_BITS) - 1)};
}

static uint64_t
word_of(struct batch batch)
{
	return batch.number << (LEFT_BITS + SHIFT_BITS) | (uint64_t)batch.shift << LEFT_BITS | batch.left;
}

bool
fg_batches_set_up(struct fg_workshare *share, const struct fg_team *team, uint64_t chunk, bool guided)
{
	struct fg_parts *parts = fg_parts_for(share, team, chunk);
	if (!parts || share->trips / chunk >= MOST_CHUNKS)
		return false;
	parts->chunks = (share->trips - 1) / chunk + 1;
	parts->guided = guided;
	unsigned ahead = AHEAD * ((parts->groups->slots - 1) / parts->n + 1);
	parts->ahead = ahead < MOST_LEFT ? ahead : MOST_LEFT;
	fg_store_relaxed(&parts->next, 0);
	for (unsigned i = 0; i < parts->n; i++)
		fg_store_relaxed(&parts->part[i].next, 0);
	return true;
}

/* May a batch be taken ahead? Many chunks are left, as far as the group knows: it has seen no later number. Where
 * iterations wait for others, no piece may lie with busy members. */
static bool
many(const struct fg_workshare *share, uint64_t number)
{
	const struct fg_parts *parts = share->parts;
	return !parts->guided && !share->ordered && !share->doacross && number < parts->chunks &&
	       (parts->chunks - number) / share->size >= MANY;
}

/* Takes pieces from the counter. None is given: left == 0. */
static struct batch
add(struct fg_workshare *share, unsigned pieces, unsigned shift)
{
	struct fg_parts *parts = share->parts;
	uint64_t number = fg_add_relaxed(&parts->next, (uint64_t)pieces << shift);
	if (number >= parts->chunks)
		return (struct batch){.number = parts->chunks};
	uint64_t there = ((parts->chunks - number - 1) >> shift) + 1;
	return (struct batch){number, shift, there < pieces ? (unsigned)there : pieces};
}

/* Takes a piece for the caller, and one for each member that is counted in the word. word: it may be NULL. The first
 * addition fetches the line, which takes long where other groups want it. Meanwhile members count themselves. */
static struct batch
add_wanted(struct fg_workshare *share, struct fg_atomic_u64 *word)
{
	struct fg_parts *parts = share->parts;
	uint64_t number = fg_add_relaxed(&parts->next, 0);
	if (number >= parts->chunks)
		return (struct batch){.number = parts->chunks};
	uint64_t each = (parts->chunks - number) / share->size; /* chunks that each member could have */
	unsigned shift = parts->guided && each > 1 ? 63 - (unsigned)__builtin_clzll(each) : 0;
	unsigned others = word ? batch_of(fg_load_relaxed(word)).shift : 0;
	return add(share, others < MOST_LEFT ? others + 1 : MOST_LEFT, shift);
}

static struct batch
without_first(struct batch batch)
{
	batch.number += UINT64_C(1) << batch.shift;
	batch.left--;
	return batch;
}

/* The group needs pieces, and the word is FETCHING. The caller gets the first piece, the others go into the word. */
static struct batch
fetch(struct fg_identity *self, struct fg_workshare *share, struct fg_atomic_u64 *word)
{
	fg_enter(self); /* The group would wait for a member that is preempted here. */
	struct batch batch = add_wanted(share, word);
	fg_store_release(word, word_of(batch.left ? without_first(batch) : batch));
	fg_leave(self);
	return batch;
}

/* The caller has the last piece of a batch, and the word is FETCHING. The next batch goes into it. */
static void
fetch_ahead(struct fg_identity *self, struct fg_workshare *share, struct fg_atomic_u64 *word)
{
	fg_enter(self);
	fg_store_release(word, word_of(add(share, share->parts->ahead, 0)));
	fg_leave(self);
}

/* Returns the batch whose first piece the caller gets. No piece is left for it: left == 0. */
static struct batch
take(struct fg_identity *self, struct fg_workshare *share, struct fg_atomic_u64 *word, uint64_t least)
{
	fg_prefetch_write(word);
	uint64_t seen = fg_load_acquire(word);
	bool counted = false;
	for (unsigned turns = 0;;) {
		struct batch batch = batch_of(seen), next = batch;
		if (batch.left == FETCHING) {
			if (turns++ == TURNS)
				return add_wanted(share, NULL);
			if (!counted && batch.shift < MOST_LEFT) {
				next.shift++;
				counted = fg_cas_relaxed(word, &seen, word_of(next));
			} else {
				fg_cpu_pause();
				seen = fg_load_acquire(word);
			}
			continue;
		}
		counted = false;
		if (batch.left == 0) {
			if (batch.number >= share->parts->chunks)
				return batch;
			fg_prefetch_write(&share->parts->next);
			next.left = FETCHING;
			next.shift = 0;
			if (fg_cas_acquire(word, &seen, word_of(next)))
				return fetch(self, share, word);
			continue;
		}
		if (batch.number < least)
			return add_wanted(share, NULL);
		next = without_first(batch);
		bool ahead = next.left == 0 && many(share, next.number);
		if (ahead)
			next.left = FETCHING;
		if (fg_cas_acquire(word, &seen, word_of(next))) {
			if (ahead)
				fetch_ahead(self, share, word);
			return batch;
		}
	}
}

bool
fg_batches_next(struct fg_identity *self, struct fg_workshare *share, uint64_t *number, uint64_t *count)
{
	struct fg_parts *parts = share->parts;
	uint64_t least = (uint64_t)self->thread.static_trip >> PART_BITS;
	unsigned noted = (unsigned)self->thread.static_trip & OVER;
	if (noted == OVER)
		return false;
	unsigned part = noted ? noted - 1 : fg_parts_own(self, parts);
	struct batch batch = take(self, share, &parts->part[part].next, least);
	if (batch.left == 0) {
		self->thread.static_trip |= OVER;
		return false;
	}
	assert(batch.number >= least);
	*number = batch.number;
	*count = UINT64_C(1) << batch.shift;
	self->thread.static_trip = (long)((*number + *count) << PART_BITS | (part + 1));
	return true;
}
