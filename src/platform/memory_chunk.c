/* Chunks (floor: platform): see memory_chunk.h. */
#include "platform/memory_chunk.h"

#ifndef FG_MEMORY_FOREIGN
#include <sys/mman.h>

#include "platform/sanitizer.h"

/* Units of a chunk that may be given. The head lies in the first unit, and early blocks behind it. */
#define EMPTY (~UINT64_C(1))
#define EARLY_MAX 2048

static struct {
	struct fg_spinlock lock;
	uint32_t epoch;
	struct fg_chunk *with_room;
	unsigned n_empty;
	struct fg_chunk *early;		 /* the first */
	size_t early_used;		 /* bytes behind its head */
	char *hint;			 /* the next one may end here */
	struct fg_atomic_u32 early_over; /* there is no room for early blocks any more; read without the lock */
} chunks = {.lock = FG_SPINLOCK_INIT(FG_RANK_CHUNKS)};

/* ---- From the system ---- */

static void *
map(void *hint, size_t size)
{
	void *memory = mmap(hint, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

/* Maps memory aligned to a chunk. Below the last chunk there is most often room. Else more is mapped, and the excess is
 * given back. */
static char *
map_aligned(size_t size)
{
	uintptr_t wanted = ((uintptr_t)chunks.hint - size) & ~(FG_CHUNK - 1);
	char *start = chunks.hint ? map((void *)wanted, size) : NULL;
	if (start && (uintptr_t)start % FG_CHUNK != 0) {
		munmap(start, size);
		start = NULL;
	}
	if (!start) {
		char *all = map(NULL, size + FG_CHUNK);
		if (!all)
			return NULL;
		size_t before = -(uintptr_t)all & (FG_CHUNK - 1);
		start = all + before;
		if (before)
			munmap(all, before);
		munmap(start + size, FG_CHUNK - before);
	}
	chunks.hint = start;
	return start;
}

/* A leak checker looks for pointers in the regions that it is told of. The only pointer to a block of the program may
 * be in a task. */
static struct fg_chunk *
chunk_map_locked(size_t size)
{
	struct fg_chunk *chunk = (struct fg_chunk *)map_aligned(size);
	if (!chunk)
		return NULL;
	madvise(chunk, size, MADV_NOHUGEPAGE); /* a kernel without huge pages refuses: no harm */
	chunk->mapped = size;
	chunk->epoch = chunks.epoch;
	if (__lsan_register_root_region)
		__lsan_register_root_region(chunk, size);
	return chunk;
}

static void
chunk_unmap_locked(struct fg_chunk *chunk)
{
	if (__lsan_unregister_root_region)
		__lsan_unregister_root_region(chunk, chunk->mapped);
	chunks.hint = (char *)chunk + chunk->mapped;
	munmap(chunk, chunk->mapped);
}

struct fg_chunk *
fg_chunk_get(size_t size)
{
	fg_spinlock_lock(&chunks.lock);
	struct fg_chunk *chunk = chunk_map_locked(size);
	fg_spinlock_unlock(&chunks.lock);
	return chunk;
}

void
fg_chunk_give(struct fg_chunk *chunk)
{
	fg_spinlock_lock(&chunks.lock);
	chunk_unmap_locked(chunk);
	fg_spinlock_unlock(&chunks.lock);
}

/* ---- Units ---- */

static void
chunk_link_locked(struct fg_chunk *chunk)
{
	chunk->next = chunks.with_room;
	chunk->link = &chunks.with_room;
	if (chunk->next)
		chunk->next->link = &chunk->next;
	chunks.with_room = chunk;
}

static void
chunk_unlink_locked(struct fg_chunk *chunk)
{
	*chunk->link = chunk->next;
	if (chunk->next)
		chunk->next->link = chunk->link;
	chunk->link = NULL;
}

static uint64_t
run_mask(unsigned first, unsigned n)
{
	return (n == FG_UNITS ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1) << first;
}

/* The first of n free units in a row; FG_UNITS: there are not so many. */
static unsigned
run_find(uint64_t free_units, unsigned n)
{
	for (unsigned i = 1; i < n; i++)
		free_units &= free_units >> 1;
	return free_units ? (unsigned)__builtin_ctzll(free_units) : FG_UNITS;
}

static struct fg_chunk *
chunk_new_locked(void)
{
	struct fg_chunk *chunk = chunk_map_locked(FG_CHUNK);
	if (!chunk)
		return NULL;
	chunk->magic = FG_CHUNK_SMALL;
	chunk->free_units = EMPTY;
	chunks.n_empty++;
	chunk_link_locked(chunk);
	return chunk;
}

static struct fg_slab *
run_take_locked(unsigned n)
{
	unsigned first = FG_UNITS;
	struct fg_chunk *chunk = chunks.with_room;
	while (chunk && (first = run_find(chunk->free_units, n)) == FG_UNITS)
		chunk = chunk->next;
	if (!chunk) {
		if (!(chunk = chunk_new_locked()))
			return NULL;
		first = 1;
	}
	chunks.n_empty -= chunk->free_units == EMPTY;
	chunk->free_units &= ~run_mask(first, n);
	if (!chunk->free_units)
		chunk_unlink_locked(chunk);
	for (unsigned i = first; i < first + n; i++)
		chunk->first_of[i] = (uint8_t)first;
	struct fg_slab *slab = &chunk->slab[first];
	*slab = (struct fg_slab){.units = (uint8_t)n};
	return slab;
}

struct fg_slab *
fg_memory_run_take(unsigned n)
{
	fg_spinlock_lock(&chunks.lock);
	struct fg_slab *slab = run_take_locked(n);
	fg_spinlock_unlock(&chunks.lock);
	return slab;
}

void
fg_memory_run_give(struct fg_slab *slab)
{
	struct fg_chunk *chunk = fg_chunk_of(slab);
	fg_spinlock_lock(&chunks.lock);
	if (chunk->epoch == chunks.epoch) {
		chunk->free_units |= run_mask(fg_slab_unit(chunk, slab), slab->units);
		if (!chunk->link)
			chunk_link_locked(chunk);
		if (chunk->free_units == EMPTY && ++chunks.n_empty > 1 && !chunk->early) {
			chunks.n_empty--;
			chunk_unlink_locked(chunk);
			chunk_unmap_locked(chunk);
		}
	}
	fg_spinlock_unlock(&chunks.lock);
}

/* ---- Early blocks ---- */

static void *
early_take_locked(unsigned class, size_t size)
{
	size_t natural = size & -size, align = natural < FG_EARLY_ALIGN ? natural : FG_EARLY_ALIGN;
	if ((!chunks.early && !(chunks.early = chunk_new_locked())))
		return NULL;
	size_t at = (chunks.early_used + align - 1) & ~(align - 1);
	if (FG_CHUNK_HEAD + at + size > FG_UNIT)
		return NULL;
	chunks.early->early = true;
	chunks.early->early_class[at / FG_EARLY_GRAIN] = (uint8_t)class;
	chunks.early_used = at + size;
	return (char *)chunks.early + FG_CHUNK_HEAD + at;
}

void *
fg_memory_early_take(unsigned class, size_t size)
{
	if (size > EARLY_MAX || fg_load_relaxed(&chunks.early_over))
		return NULL;
	fg_spinlock_lock(&chunks.lock);
	void *block = early_take_locked(class, size);
	fg_spinlock_unlock(&chunks.lock);
	if (!block)
		fg_store_relaxed(&chunks.early_over, 1);
	return block;
}

/* ---- The child of a fork ---- */

bool
fg_chunks_after_fork(void)
{
	bool held = fg_load_relaxed(&chunks.lock.state) != 0;
	fg_spinlock_init(&chunks.lock, FG_RANK_CHUNKS);
	return held;
}

uint32_t
fg_chunks_give_up(void)
{
	uint32_t epoch = ++chunks.epoch;
	chunks.with_room = NULL;
	chunks.n_empty = 0;
	chunks.early = NULL;
	chunks.hint = NULL;
	fg_store_relaxed(&chunks.early_over, 1);
	return epoch;
}
#endif
