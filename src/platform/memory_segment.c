/* Segments (floor: platform): see memory_segment.h. */
#include "platform/memory_segment.h"

#ifndef FG_MEMORY_FOREIGN
#include <sys/mman.h>

#include "platform/sanitizer.h"

/* Units of a segment that may be given. The head lies in the first unit, and early blocks behind it. */
#define EMPTY (~UINT64_C(1))
#define EARLY_MAX 2048

static struct {
	struct fg_spinlock lock;
	uint32_t epoch;
	struct fg_segment *with_room;
	unsigned n_empty;
	struct fg_segment *early;	 /* the first */
	size_t early_used;		 /* bytes behind its head */
	char *hint;			 /* the next one may end here */
	struct fg_atomic_u32 early_over; /* there is no room for early blocks any more; read without the lock */
} segments = {.lock = FG_SPINLOCK_INIT(FG_RANK_SEGMENTS)};

/* ---- From the system ---- */

static void *
map(void *hint, size_t size)
{
	void *memory = mmap(hint, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

/* Maps memory aligned to a segment. Below the last segment there is most often room. Else more is mapped, and the
 * excess is given back. */
static char *
map_aligned(size_t size)
{
	uintptr_t wanted = ((uintptr_t)segments.hint - size) & ~(FG_SEGMENT - 1);
	char *start = segments.hint ? map((void *)wanted, size) : NULL;
	if (start && (uintptr_t)start % FG_SEGMENT != 0) {
		munmap(start, size);
		start = NULL;
	}
	if (!start) {
		char *all = map(NULL, size + FG_SEGMENT);
		if (!all)
			return NULL;
		size_t before = -(uintptr_t)all & (FG_SEGMENT - 1);
		start = all + before;
		if (before)
			munmap(all, before);
		munmap(start + size, FG_SEGMENT - before);
	}
	segments.hint = start;
	return start;
}

/* A leak checker looks for pointers in the regions that it is told of. The only pointer to a block of the program may
 * be in a task. */
static struct fg_segment *
segment_map_locked(size_t size)
{
	struct fg_segment *segment = (struct fg_segment *)map_aligned(size);
	if (!segment)
		return NULL;
	madvise(segment, size, MADV_NOHUGEPAGE); /* a kernel without huge pages refuses: no harm */
	segment->mapped = size;
	segment->epoch = segments.epoch;
	if (__lsan_register_root_region)
		__lsan_register_root_region(segment, size);
	return segment;
}

static void
segment_unmap_locked(struct fg_segment *segment)
{
	if (__lsan_unregister_root_region)
		__lsan_unregister_root_region(segment, segment->mapped);
	segments.hint = (char *)segment + segment->mapped;
	munmap(segment, segment->mapped);
}

struct fg_segment *
fg_segment_get(size_t size)
{
	fg_spinlock_lock(&segments.lock);
	struct fg_segment *segment = segment_map_locked(size);
	fg_spinlock_unlock(&segments.lock);
	return segment;
}

void
fg_segment_give(struct fg_segment *segment)
{
	fg_spinlock_lock(&segments.lock);
	segment_unmap_locked(segment);
	fg_spinlock_unlock(&segments.lock);
}

/* ---- Units ---- */

static void
segment_link_locked(struct fg_segment *segment)
{
	segment->next = segments.with_room;
	segment->link = &segments.with_room;
	if (segment->next)
		segment->next->link = &segment->next;
	segments.with_room = segment;
}

static void
segment_unlink_locked(struct fg_segment *segment)
{
	*segment->link = segment->next;
	if (segment->next)
		segment->next->link = segment->link;
	segment->link = NULL;
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

static struct fg_segment *
segment_new_locked(void)
{
	struct fg_segment *segment = segment_map_locked(FG_SEGMENT);
	if (!segment)
		return NULL;
	segment->magic = FG_SEGMENT_SMALL;
	segment->free_units = EMPTY;
	segments.n_empty++;
	segment_link_locked(segment);
	return segment;
}

static struct fg_slab *
run_take_locked(unsigned n)
{
	unsigned first = FG_UNITS;
	struct fg_segment *segment = segments.with_room;
	while (segment && (first = run_find(segment->free_units, n)) == FG_UNITS)
		segment = segment->next;
	if (!segment) {
		if (!(segment = segment_new_locked()))
			return NULL;
		first = 1;
	}
	segments.n_empty -= segment->free_units == EMPTY;
	segment->free_units &= ~run_mask(first, n);
	if (!segment->free_units)
		segment_unlink_locked(segment);
	for (unsigned i = first; i < first + n; i++)
		segment->first_of[i] = (uint8_t)first;
	struct fg_slab *slab = &segment->slab[first];
	*slab = (struct fg_slab){.units = (uint8_t)n};
	return slab;
}

struct fg_slab *
fg_memory_run_take(unsigned n)
{
	fg_spinlock_lock(&segments.lock);
	struct fg_slab *slab = run_take_locked(n);
	fg_spinlock_unlock(&segments.lock);
	return slab;
}

void
fg_memory_run_give(struct fg_slab *slab)
{
	struct fg_segment *segment = fg_segment_of(slab);
	fg_spinlock_lock(&segments.lock);
	if (segment->epoch == segments.epoch) {
		segment->free_units |= run_mask(fg_slab_unit(segment, slab), slab->units);
		if (!segment->link)
			segment_link_locked(segment);
		if (segment->free_units == EMPTY && ++segments.n_empty > 1 && !segment->early) {
			segments.n_empty--;
			segment_unlink_locked(segment);
			segment_unmap_locked(segment);
		}
	}
	fg_spinlock_unlock(&segments.lock);
}

/* ---- Early blocks ---- */

static void *
early_take_locked(unsigned class, size_t size)
{
	size_t natural = size & -size, align = natural < FG_EARLY_ALIGN ? natural : FG_EARLY_ALIGN;
	if ((!segments.early && !(segments.early = segment_new_locked())))
		return NULL;
	size_t at = (segments.early_used + align - 1) & ~(align - 1);
	if (FG_SEGMENT_HEAD + at + size > FG_UNIT)
		return NULL;
	segments.early->early = true;
	segments.early->early_class[at / FG_EARLY_GRAIN] = (uint8_t)class;
	segments.early_used = at + size;
	return (char *)segments.early + FG_SEGMENT_HEAD + at;
}

void *
fg_memory_early_take(unsigned class, size_t size)
{
	if (size > EARLY_MAX || fg_load_relaxed(&segments.early_over))
		return NULL;
	fg_spinlock_lock(&segments.lock);
	void *block = early_take_locked(class, size);
	fg_spinlock_unlock(&segments.lock);
	if (!block)
		fg_store_relaxed(&segments.early_over, 1);
	return block;
}

/* ---- The child of a fork ---- */

bool
fg_segments_after_fork(void)
{
	bool held = fg_load_relaxed(&segments.lock.state) != 0;
	fg_spinlock_init(&segments.lock, FG_RANK_SEGMENTS);
	return held;
}

uint32_t
fg_segments_give_up(void)
{
	uint32_t epoch = ++segments.epoch;
	segments.with_room = NULL;
	segments.n_empty = 0;
	segments.early = NULL;
	segments.hint = NULL;
	fg_store_relaxed(&segments.early_over, 1);
	return epoch;
}
#endif
