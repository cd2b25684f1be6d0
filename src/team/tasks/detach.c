/* Detach (floor: team): see detach.h. */
#include "team/tasks/detach.h"

#include <assert.h>

#include "base/log.h"
#include "platform/memory.h"
#include "team/tasks/memory.h"

/* word == use << 2 | state. The free slots are a list. Its head has a count of changes, so that no old head is taken
 * for the present one. If another thread takes a slot meanwhile, the `next` that was read from it is not used. */
enum { FULFILLED = FG_DETACH_FULFILLED, DROPPED = FG_DETACH_DROPPED, PENDING };
_Static_assert(PENDING < 4, "a state has two bits");

struct slot {
	struct fg_atomic_u64 word;
	struct fg_atomic_u32 next;
	struct fg_deferred *task;
};

/* Slots 1, 2 .. lie in pieces, each twice as large as the one before. */
#define PIECE_FIRST 64
#define PIECES 25

static struct {
	struct fg_atomic_ptr pieces[PIECES];
	struct fg_atomic_u64 free_head; /* changes << 32 | slot */
	struct fg_atomic_u32 used;
	struct slot first_piece[PIECE_FIRST]; /* so many slots need no memory of the system */
} events = {.pieces = {{events.first_piece}}};

static unsigned
piece_of(uint32_t number, uint32_t *at)
{
	assert(number > 0);
	uint32_t place = number - 1 + PIECE_FIRST;
	unsigned piece = 31 - (unsigned)__builtin_clz(place / PIECE_FIRST);
	*at = place - (PIECE_FIRST << piece);
	return piece;
}

static struct slot *
slot_of(uint32_t number)
{
	uint32_t at;
	struct slot *slots = fg_load_acquire(&events.pieces[piece_of(number, &at)]);
	assert(slots);
	return slots + at;
}

static struct slot *
slot_fresh(uint32_t *number)
{
	uint32_t at;
	*number = fg_add_relaxed(&events.used, 1) + 1;
	unsigned piece = piece_of(*number, &at);
	if (piece >= PIECES)
		fg_fatal("too many events of detached tasks that are not fulfilled");
	void *slots = fg_load_acquire(&events.pieces[piece]);
	if (__builtin_expect(!slots, 0)) {
		struct slot *new = fg_task_memory((PIECE_FIRST << piece) * sizeof *new);
		if (fg_cas_acq_rel(&events.pieces[piece], &slots, new))
			slots = new;
		else
			fg_memory_free(new);
	}
	return (struct slot *)slots + at;
}

static struct slot *
slot_take(uint32_t *number)
{
	uint64_t head = fg_load_acquire(&events.free_head);
	while ((*number = (uint32_t)head)) {
		struct slot *slot = slot_of(*number);
		uint64_t next = ((head >> 32) + 1) << 32 | fg_load_relaxed(&slot->next);
		if (fg_cas_acq_rel(&events.free_head, &head, next))
			return slot;
	}
	return slot_fresh(number);
}

static void
slot_put(struct slot *slot, uint32_t number)
{
	uint64_t head = fg_load_relaxed(&events.free_head), next;
	do {
		fg_store_relaxed(&slot->next, (uint32_t)head);
		next = ((head >> 32) + 1) << 32 | number;
	} while (!fg_cas_acq_rel(&events.free_head, &head, next));
}

uint64_t
fg_detach_new(struct fg_deferred *task)
{
	uint32_t number;
	struct slot *slot = slot_take(&number);
	uint32_t use = (uint32_t)(fg_load_relaxed(&slot->word) >> 2) + 1;
	assert((fg_load_relaxed(&slot->word) & 3) != PENDING);
	slot->task = task;
	fg_store_release(&slot->word, (uint64_t)use << 2 | (task ? PENDING : DROPPED));
	if (!task)
		slot_put(slot, number);
	return (uint64_t)use << 32 | number;
}

enum fg_detach_answer
fg_detach_end(uint64_t handle, enum fg_detach_end how, struct fg_deferred **task)
{
	uint32_t number = (uint32_t)handle, at;
	uint64_t use = handle >> 32 << 2, seen = use | PENDING;
	if (!number || piece_of(number, &at) >= PIECES || !fg_load_acquire(&events.pieces[piece_of(number, &at)]))
		return FG_DETACH_IS_NONE;
	struct slot *slot = slot_of(number);
	assert(how == FG_DETACH_FULFILLED || how == FG_DETACH_DROPPED);
	if (fg_cas_acq_rel(&slot->word, &seen, use | how)) {
		*task = slot->task;
		slot_put(slot, number);
		return FG_DETACH_IS_ENDED;
	}
	if (seen == (use | FULFILLED))
		return use ? FG_DETACH_WAS_FULFILLED : FG_DETACH_IS_NONE;
	if (seen == (use | DROPPED))
		return FG_DETACH_WAS_DROPPED;
	return use < (seen & ~(uint64_t)3) ? FG_DETACH_IS_OVER : FG_DETACH_IS_NONE;
}
