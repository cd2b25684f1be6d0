/* Deque: its memory (floor: team); see deque.h. */
#include "team/tasks/deque.h"

#include "platform/memory.h"

#define RING_FIRST 64

static size_t
ring_bytes(uint64_t size)
{
	return sizeof(struct fg_deque_ring) + size * sizeof(struct fg_deque_slot);
}

size_t
fg_deque_first_bytes(void)
{
	return ring_bytes(RING_FIRST);
}

static struct fg_deque_ring *
ring_init(struct fg_deque_ring *ring, uint64_t size, struct fg_deque_ring *older)
{
	ring->mask = size - 1;
	ring->size = size;
	ring->older = older;
	return ring;
}

static const struct fg_deque_ring no_room;

void
fg_deque_close(struct fg_deque *deque)
{
	assert(fg_deque_count(deque) == 0);
	fg_store_relaxed(&deque->ring, (void *)&no_room);
}

void
fg_deque_init(struct fg_deque *deque)
{
	fg_store_relaxed(&deque->bottom, 0);
	fg_store_relaxed(&deque->top, 0);
	deque->top_seen = 0;
	fg_deque_close(deque);
}

void
fg_deque_open(struct fg_deque *deque, void *first)
{
	assert(!fg_deque_is_open(deque) && fg_deque_count(deque) == 0);
	fg_store_relaxed(&deque->ring, ring_init(first, RING_FIRST, NULL));
	assert(fg_deque_valid(deque));
}

void
fg_deque_trim(struct fg_deque *deque)
{
	assert(fg_deque_valid(deque) && fg_deque_count(deque) == 0);
	struct fg_deque_ring *ring = fg_load_relaxed(&deque->ring);
	while (ring->older) {
		struct fg_deque_ring *older = ring->older;
		fg_memory_free(ring);
		ring = older;
	}
	fg_store_relaxed(&deque->ring, ring);
}

struct fg_deque_ring *
fg_deque_grow(struct fg_deque *deque, uint64_t bottom)
{
	struct fg_deque_ring *old = fg_load_relaxed(&deque->ring);
	uint64_t size = 2 * old->size;
	struct fg_deque_ring *ring = size ? fg_memory_get(ring_bytes(size)) : NULL;
	if (!ring)
		return NULL;
	ring_init(ring, size, old);
	for (uint64_t i = 0; i < size; i++)
		fg_store_relaxed(&ring->slot[i].family, NULL);
	for (uint64_t i = deque->top_seen; i != bottom; i++) {
		struct fg_deque_slot *from = &old->slot[i & old->mask], *to = &ring->slot[i & ring->mask];
		fg_store_relaxed(&to->task, fg_load_relaxed(&from->task));
		fg_store_relaxed(&to->family, fg_load_relaxed(&from->family));
	}
	fg_store_release(&deque->ring, ring);
	assert(fg_deque_valid(deque));
	return ring;
}

unsigned
fg_deque_take_oldest(struct fg_deque *deque, void **task, unsigned least, unsigned most, void **family)
{
	uint64_t top = fg_load_acquire(&deque->top), left = fg_load_relaxed(&deque->bottom) - top;
	const struct fg_deque_ring *ring = fg_load_relaxed(&deque->ring);
	unsigned n = 0;
	deque->top_seen = top;
	for (; n < left && n < most; n++) {
		const struct fg_deque_slot *slot = &ring->slot[(top + n) & ring->mask];
		void *of = fg_load_relaxed(&slot->family);
		if (n > 0 && of != *family)
			break;
		*family = of;
		task[n] = fg_load_relaxed(&slot->task);
	}
	if (n < least || !fg_cas_acq_rel(&deque->top, &top, top + n))
		return 0;
	deque->top_seen = top + n;
	assert(fg_deque_valid(deque));
	return n;
}
