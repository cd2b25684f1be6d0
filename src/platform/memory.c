/* The runtime's own allocator (floor: platform); see memory.h.
 *
 * Segments of 1 MiB come from the system, aligned to their size, so that a block's address leads to its segment's head.
 * A segment consists of units of 16 KiB. A run of units is a slab, with the blocks of one class of sizes. A block
 * larger than the largest class is a segment of its own.
 *
 * Slabs belong to shards. Each thread uses one shard, by its thread pointer. Each shard has a lock, taken for a few
 * instructions.
 *
 * The first allocations lie in the first segment, one behind the other whatever their sizes, so that an idle runtime
 * has few pages. These early blocks are not used again when they are freed. Later a block goes back to its slab,
 * whichever thread frees it. An empty slab's units go back to its segment, unless it is the shard's last of a small
 * class. An empty segment goes back to the system, unless it is the only one.
 *
 * Locks: a shard's, then the segments'. A holder is inside the runtime, so it is not preempted, and waits for nothing
 * but the kernel.
 *
 * The child of a fork: another thread may have been changing data at that moment. The lock of these data is held in the
 * child, so the child gives them up. The epoch marks the blocks of that time. They stay where they are when they are
 * freed. */
#include "platform/memory.h"

struct fg_memory_guard fg_memory_guard;

#ifndef FG_MEMORY_FOREIGN
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/context.h"
#include "platform/memory_segment.h"
#include "platform/sanitizer.h"

#define SHARDS_MAX 16

/* A multiple of an alignment is aligned to it, as slabs are aligned to FG_SEGMENT_HEAD. */
static const uint32_t class_size[] = {
	32,   64,   128,  192,	256,   384,   512,   768,   1024,  1536,  2048,
	3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152, 65536,
};
#define CLASSES (sizeof class_size / sizeof *class_size)
#define KEPT_MAX 4096 /* no empty slab of a larger class is kept */

static struct {
	struct shard {
		_Alignas(128) struct fg_spinlock lock;
		uint32_t epoch;
		struct fg_slab *with_room[CLASSES];
	} shards[SHARDS_MAX];
	unsigned n_shards;
} heap = {.shards = {[0 ... SHARDS_MAX - 1] = {.lock = FG_SPINLOCK_INIT(FG_RANK_MEMORY)}}, .n_shards = 1};

void
fg_memory_shards(unsigned n)
{
	unsigned shards = 1;
	while (shards < n && shards < SHARDS_MAX)
		shards *= 2;
	heap.n_shards = shards;
}

/* ---- Slabs ---- */

static char *
slab_start(struct fg_slab *slab)
{
	struct fg_segment *segment = fg_segment_of(slab);
	return (char *)segment + fg_slab_unit(segment, slab) * FG_UNIT;
}

static void
slab_link_locked(struct shard *shard, struct fg_slab *slab)
{
	struct fg_slab **list = &shard->with_room[slab->class];
	slab->next = *list;
	slab->link = list;
	if (slab->next)
		slab->next->link = &slab->next;
	*list = slab;
}

static void
slab_unlink_locked(struct fg_slab *slab)
{
	*slab->link = slab->next;
	if (slab->next)
		slab->next->link = slab->link;
	slab->link = NULL;
}

/* There is room for eight blocks at least, up to a quarter of a segment. */
static unsigned
units_for(unsigned class)
{
	size_t units = (8 * class_size[class] + FG_UNIT - 1) / FG_UNIT;
	return units < FG_UNITS / 4 ? (unsigned)units : FG_UNITS / 4;
}

static struct fg_slab *
slab_new_locked(struct shard *shard, unsigned class)
{
	struct fg_slab *slab = fg_memory_run_take(units_for(class));
	if (!slab)
		return NULL;
	slab->class = (uint8_t)class;
	slab->shard = (uint8_t)(shard - heap.shards);
	slab->room = (uint16_t)(slab->units * FG_UNIT / class_size[class]);
	slab_link_locked(shard, slab);
	return slab;
}

static void *
block_take_locked(struct shard *shard, unsigned class, size_t align)
{
	struct fg_slab *slab = shard->with_room[class];
	void *block = slab || align > FG_EARLY_ALIGN ? NULL : fg_memory_early_take(class, class_size[class]);
	if (block)
		return block;
	if (!slab && !(slab = slab_new_locked(shard, class)))
		return NULL;
	block = slab->free;
	if (block)
		slab->free = *(void **)block;
	else
		block = slab_start(slab) + (size_t)slab->fresh++ * class_size[class];
	if (++slab->used == slab->room)
		slab_unlink_locked(slab);
	return block;
}

static void
block_give_locked(struct shard *shard, struct fg_slab *slab, void *block)
{
	*(void **)block = slab->free;
	slab->free = block;
	if (!slab->link)
		slab_link_locked(shard, slab);
	bool only = !slab->next && slab->link == &shard->with_room[slab->class];
	if (--slab->used == 0 && !(only && class_size[slab->class] <= KEPT_MAX)) {
		slab_unlink_locked(slab);
		fg_memory_run_give(slab);
	}
}

/* ---- Blocks ---- */

static struct shard *
own_shard(void)
{
	uint64_t hash = ((uintptr_t)fg_context_tls() >> 6) * UINT64_C(0x9e3779b97f4a7c15);
	return &heap.shards[(hash >> 32) & (heap.n_shards - 1)];
}

static unsigned
class_of(size_t align, size_t size)
{
	unsigned class = 0;
	while (class < CLASSES && (class_size[class] < size || class_size[class] % align != 0))
		class ++;
	return class;
}

static void *
small_get(unsigned class, size_t align)
{
	struct shard *shard = own_shard();
	fg_spinlock_lock(&shard->lock);
	void *block = block_take_locked(shard, class, align);
	fg_spinlock_unlock(&shard->lock);
	return block;
}

static void *
large_get(size_t align, size_t size)
{
	size_t before = align > FG_SEGMENT_HEAD ? align : FG_SEGMENT_HEAD, all;
	if (__builtin_add_overflow(size, before + FG_SEGMENT_HEAD - 1, &all) || align > FG_SEGMENT / 2)
		return NULL;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	all = (size + before + page - 1) & ~(page - 1);
	struct fg_segment *segment = fg_segment_get(all);
	if (!segment)
		return NULL;
	segment->magic = FG_SEGMENT_LARGE;
	return (char *)segment + before;
}

static bool
enter(void)
{
	return fg_memory_guard.enter && fg_memory_guard.enter();
}

static void
leave(bool entered)
{
	if (entered)
		fg_memory_guard.leave();
}

/* A race detector in the program knows of reused memory only from its own allocator. Each member has a kernel thread
 * then, so the runtime preempts none. */
static void *
watched_get(size_t align, size_t size)
{
	void *memory;
	return posix_memalign(&memory, align, size) ? NULL : memory;
}

/* A library of tests/limits that is preloaded defines it. true: this call finds no memory. */
#ifndef NDEBUG
FG_WEAK_IMPORT bool fgomp_debug_refuse(void);
#define refused() (fgomp_debug_refuse && fgomp_debug_refuse())
#else
#define refused() false
#endif

void *
fg_memory_aligned(size_t align, size_t size)
{
	if (refused())
		return NULL;
	int saved = errno;
	if (align < 16)
		align = 16;
	if (!size)
		size = 1;
	void *memory;
	if (fg_watched())
		memory = watched_get(align, size);
	else {
		unsigned class = class_of(align, size);
		bool entered = enter();
		memory = class < CLASSES ? small_get(class, align) : large_get(align, size);
		leave(entered);
	}
	errno = saved;
	return memory;
}

void *
fg_memory_get(size_t size)
{
	return fg_memory_aligned(16, size);
}

static bool
is_large(const void *memory)
{
	return fg_segment_of(memory)->magic == FG_SEGMENT_LARGE;
}

void *
fg_memory_zeroed(size_t size)
{
	void *memory = fg_memory_get(size);
	if (memory && (fg_watched() || !is_large(memory))) /* the system's pages are zero */
		memset(memory, 0, size);
	return memory;
}

static size_t
place_of(const void *memory)
{
	return (uintptr_t)memory & (FG_SEGMENT - 1);
}

static bool
is_early(const void *memory)
{
	return place_of(memory) < FG_UNIT;
}

static struct fg_slab *
slab_of(const void *memory)
{
	struct fg_segment *segment = fg_segment_of(memory);
	return &segment->slab[segment->first_of[place_of(memory) / FG_UNIT]];
}

static void
small_free(void *memory)
{
	struct fg_slab *slab = slab_of(memory);
	struct shard *shard = &heap.shards[slab->shard];
	fg_spinlock_lock(&shard->lock);
	if (fg_segment_of(memory)->epoch == shard->epoch)
		block_give_locked(shard, slab, memory);
	fg_spinlock_unlock(&shard->lock);
}

void
fg_memory_free(void *memory)
{
	if (!memory)
		return;
	if (fg_watched()) {
		free(memory);
		return;
	}
	int saved = errno;
	bool entered = enter();
	if (is_large(memory))
		fg_segment_give(fg_segment_of(memory));
	else if (!is_early(memory))
		small_free(memory);
	leave(entered);
	errno = saved;
}

static size_t
room_of(const void *memory)
{
	struct fg_segment *segment = fg_segment_of(memory);
	size_t place = place_of(memory);
	if (is_large(memory))
		return segment->mapped - place;
	return class_size[is_early(memory) ? segment->early_class[(place - FG_SEGMENT_HEAD) / FG_EARLY_GRAIN]
					   : slab_of(memory)->class];
}

void *
fg_memory_resize(void *memory, size_t size)
{
	if (fg_watched())
		return realloc(memory, size ? size : 1);
	size_t room = memory ? room_of(memory) : 0;
	if (memory && size <= room && size >= room / 4)
		return memory;
	void *other = fg_memory_get(size);
	if (!other || !memory)
		return other;
	memcpy(other, memory, size < room ? size : room);
	fg_memory_free(memory);
	return other;
}

/* ---- The child of a fork ---- */

/* If one lock was held, all data are given up, because a slab moves between the lists of both kinds. */
void
fg_memory_after_fork(void)
{
	bool held = fg_segments_after_fork();
	for (unsigned i = 0; i < SHARDS_MAX; i++) {
		held |= fg_load_relaxed(&heap.shards[i].lock.state) != 0;
		fg_spinlock_init(&heap.shards[i].lock, FG_RANK_MEMORY);
	}
	if (!held)
		return;
	uint32_t epoch = fg_segments_give_up();
	for (unsigned i = 0; i < SHARDS_MAX; i++) {
		heap.shards[i].epoch = epoch;
		memset(heap.shards[i].with_room, 0, sizeof heap.shards[i].with_room);
	}
}
#endif
