/* Deque: its memory (floor: team). */
#include "team/task_deque.h"

#include "base/log.h"
#include "platform/memory.h"

#define RING_FIRST 64

static struct fg_deque_ring *
ring_new(uint64_t size, struct fg_deque_ring *older)
{
	size_t bytes = sizeof(struct fg_deque_ring) + size * sizeof(struct fg_deque_slot);
	struct fg_deque_ring *ring = fg_memory_get(bytes);
	if (!ring)
		fg_fatal("Out of memory allocating %zu bytes", bytes);
	ring->mask = size - 1;
	ring->older = older;
	return ring;
}

void
fg_deque_init(struct fg_deque *deque)
{
	fg_store_relaxed(&deque->bottom, 0);
	fg_store_relaxed(&deque->top, 0);
	deque->top_seen = 0;
	fg_store_relaxed(&deque->ring, ring_new(RING_FIRST, NULL));
}

void
fg_deque_trim(struct fg_deque *deque)
{
	struct fg_deque_ring *ring = fg_load_relaxed(&deque->ring);
	while (ring->older) {
		struct fg_deque_ring *older = ring->older;
		fg_memory_free(ring);
		ring = older;
	}
	fg_store_relaxed(&deque->ring, ring);
}

void
fg_deque_free(struct fg_deque *deque)
{
	fg_deque_trim(deque);
	fg_memory_free(fg_load_relaxed(&deque->ring));
}

struct fg_deque_ring *
fg_deque_grow(struct fg_deque *deque, uint64_t bottom)
{
	struct fg_deque_ring *old = fg_load_relaxed(&deque->ring);
	struct fg_deque_ring *ring = ring_new(2 * (old->mask + 1), old);
	for (uint64_t i = deque->top_seen; i != bottom; i++) {
		struct fg_deque_slot *from = &old->slot[i & old->mask], *to = &ring->slot[i & ring->mask];
		fg_store_relaxed(&to->task, fg_load_relaxed(&from->task));
		fg_store_relaxed(&to->family, fg_load_relaxed(&from->family));
	}
	fg_store_release(&deque->ring, ring);
	return ring;
}
