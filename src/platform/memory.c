/* The runtime's own allocator (floor: platform); see memory.h.
 *
 * Chunks of 1 MiB come from the system, aligned to their size, so that a block's address leads to its chunk's head. A
 * chunk consists of units of 16 KiB. A run of units is a slab, with the blocks of one class of sizes. A block larger
 * than the largest class is a chunk of its own.
 *
 * Slabs belong to shards. Each thread uses one shard, by its thread pointer. Each shard has a lock, taken for a few
 * instructions.
 *
 * The first allocations lie in the first chunk, one behind the other whatever their sizes, so that an idle runtime has
 * few pages. These early blocks are not used again when they are freed. Later a block goes back to its slab, whichever
 * thread frees it. An empty slab's units go back to its chunk, unless it is the shard's last of a small class. An empty
 * chunk goes back to the system, unless it is the only one.
 *
 * Locks: a shard's, then the chunks'. A holder is inside the runtime, so it is not preempted, and waits for nothing but
 * the kernel.
 *
 * The child of a fork: another thread may have been changing data at that moment. The lock of these data is held in the
 * child, so the child gives them up. The epoch marks the blocks of that time. They stay where they are when they are
 * freed. */
#include "platform/memory.h"

struct fg_memory_guard fg_memory_guard;

#ifndef FG_MEMORY_FOREIGN
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/spinlock.h"
#include "platform/context.h"
#include "platform/sanitizer.h"

#define CHUNK ((size_t)1 << 20)
#define UNIT ((size_t)16 << 10)
#define UNITS (CHUNK / UNIT)
#define HEAD ((size_t)4096)
#define EMPTY                                                                                                          \
	(~UINT64_C(                                                                                                    \
		1)) /* units of a chunk that may be given: the head and early blocks lie in the first */
#define GRAIN 32
#define EARLY_MAX 2048
#define EARLY_ALIGN 128
#define MAGIC_SMALL UINT64_C(0x666f726573742d31)
#define MAGIC_LARGE UINT64_C(0x666f726573742d32)
#define SHARDS_MAX 16

/* A multiple of an alignment is aligned to it, as slabs are aligned to HEAD. */
static const uint32_t class_size[] = {
	32,   64,   128,  192,	256,   384,   512,   768,   1024,  1536,  2048,
	3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152, 65536,
};
#define CLASSES (sizeof class_size / sizeof *class_size)
#define KEPT_MAX 4096 /* no empty slab of a larger class is kept */

struct slab {
	struct slab *next, **link; /* in its shard's list of slabs with room; link NULL: it is full */
	void *free;		   /* blocks given back, chained by their first word */
	uint16_t fresh, room;	   /* blocks from `fresh` on were never given */
	uint16_t used;
	uint8_t class, shard, units;
};

struct chunk {
	uint64_t magic;
	uint64_t free_units;	    /* a bit each */
	struct chunk *next, **link; /* of chunks with free units; link NULL: it has none */
	size_t mapped;
	uint32_t epoch;
	bool early;		 /* early blocks lie in it: it stays */
	uint8_t first_of[UNITS]; /* the slab of a unit, by its first unit; 0: early blocks */
	uint8_t early_class[(UNIT - HEAD) / GRAIN];
	struct slab slab[UNITS]; /* by first unit */
};
_Static_assert(sizeof(struct chunk) <= HEAD, "a chunk's head is one page");
_Static_assert(UNITS == 64, "a bit for each unit");

static struct shard {
	_Alignas(128) struct fg_spinlock lock;
	uint32_t epoch;
	struct slab *with_room[CLASSES];
} shards[SHARDS_MAX] = {[0 ... SHARDS_MAX - 1] = {.lock = FG_SPINLOCK_INIT(FG_RANK_MEMORY)}};

static struct {
	struct fg_spinlock lock;
	uint32_t epoch;
	struct chunk *with_room;
	unsigned n_empty;
	struct chunk *early; /* the first */
	size_t early_used;   /* bytes behind its head */
	char *hint;	     /* the next one may end here */
} chunks = {.lock = FG_SPINLOCK_INIT(FG_RANK_CHUNKS)};

static struct fg_atomic_u32 early_over; /* there is no room for early blocks any more */
static unsigned n_shards = 1;

void
fg_memory_shards(unsigned n)
{
	unsigned shards = 1;
	while (shards < n && shards < SHARDS_MAX)
		shards *= 2;
	n_shards = shards;
}

/* ---- From the system ---- */

static struct chunk *
chunk_of(const void *memory)
{
	struct chunk *chunk = (struct chunk *)((uintptr_t)memory & ~(CHUNK - 1));
	assert(chunk->magic == MAGIC_SMALL || chunk->magic == MAGIC_LARGE);
	return chunk;
}

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
	uintptr_t wanted = ((uintptr_t)chunks.hint - size) & ~(CHUNK - 1);
	char *start = chunks.hint ? map((void *)wanted, size) : NULL;
	if (start && (uintptr_t)start % CHUNK != 0) {
		munmap(start, size);
		start = NULL;
	}
	if (!start) {
		char *all = map(NULL, size + CHUNK);
		if (!all)
			return NULL;
		size_t before = -(uintptr_t)all & (CHUNK - 1);
		start = all + before;
		if (before)
			munmap(all, before);
		munmap(start + size, CHUNK - before);
	}
	chunks.hint = start;
	return start;
}

/* A leak checker looks for pointers in the regions that it is told of. The only pointer to a block of the program may
 * be in a task. */
static struct chunk *
chunk_map_locked(size_t size)
{
	struct chunk *chunk = (struct chunk *)map_aligned(size);
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
chunk_unmap_locked(struct chunk *chunk)
{
	if (__lsan_unregister_root_region)
		__lsan_unregister_root_region(chunk, chunk->mapped);
	chunks.hint = (char *)chunk + chunk->mapped;
	munmap(chunk, chunk->mapped);
}

/* ---- Units ---- */

static void
chunk_link_locked(struct chunk *chunk)
{
	chunk->next = chunks.with_room;
	chunk->link = &chunks.with_room;
	if (chunk->next)
		chunk->next->link = &chunk->next;
	chunks.with_room = chunk;
}

static void
chunk_unlink_locked(struct chunk *chunk)
{
	*chunk->link = chunk->next;
	if (chunk->next)
		chunk->next->link = chunk->link;
	chunk->link = NULL;
}

static uint64_t
run_mask(unsigned first, unsigned n)
{
	return (n == UNITS ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1) << first;
}

/* The first of n free units in a row; UNITS: there are not so many. */
static unsigned
run_find(uint64_t free_units, unsigned n)
{
	for (unsigned i = 1; i < n; i++)
		free_units &= free_units >> 1;
	return free_units ? (unsigned)__builtin_ctzll(free_units) : UNITS;
}

static struct chunk *
chunk_new_locked(void)
{
	struct chunk *chunk = chunk_map_locked(CHUNK);
	if (!chunk)
		return NULL;
	chunk->magic = MAGIC_SMALL;
	chunk->free_units = EMPTY;
	chunks.n_empty++;
	chunk_link_locked(chunk);
	return chunk;
}

static struct slab *
run_take_locked(unsigned n)
{
	unsigned first = UNITS;
	struct chunk *chunk = chunks.with_room;
	while (chunk && (first = run_find(chunk->free_units, n)) == UNITS)
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
	struct slab *slab = &chunk->slab[first];
	*slab = (struct slab){.units = (uint8_t)n};
	return slab;
}

static struct slab *
run_take(unsigned n)
{
	fg_spinlock_lock(&chunks.lock);
	struct slab *slab = run_take_locked(n);
	fg_spinlock_unlock(&chunks.lock);
	return slab;
}

static unsigned
unit_of(const struct chunk *chunk, const struct slab *slab)
{
	return (unsigned)(slab - chunk->slab);
}

static void
run_give(struct slab *slab)
{
	struct chunk *chunk = chunk_of(slab);
	fg_spinlock_lock(&chunks.lock);
	if (chunk->epoch == chunks.epoch) {
		chunk->free_units |= run_mask(unit_of(chunk, slab), slab->units);
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

/* ---- Slabs ---- */

static char *
slab_start(struct slab *slab)
{
	struct chunk *chunk = chunk_of(slab);
	return (char *)chunk + unit_of(chunk, slab) * UNIT;
}

static void
slab_link_locked(struct shard *shard, struct slab *slab)
{
	struct slab **list = &shard->with_room[slab->class];
	slab->next = *list;
	slab->link = list;
	if (slab->next)
		slab->next->link = &slab->next;
	*list = slab;
}

static void
slab_unlink_locked(struct slab *slab)
{
	*slab->link = slab->next;
	if (slab->next)
		slab->next->link = slab->link;
	slab->link = NULL;
}

/* There is room for eight blocks at least, up to a quarter of a chunk. */
static unsigned
units_for(unsigned class)
{
	size_t units = (8 * class_size[class] + UNIT - 1) / UNIT;
	return units < UNITS / 4 ? (unsigned)units : UNITS / 4;
}

static struct slab *
slab_new_locked(struct shard *shard, unsigned class)
{
	struct slab *slab = run_take(units_for(class));
	if (!slab)
		return NULL;
	slab->class = (uint8_t)class;
	slab->shard = (uint8_t)(shard - shards);
	slab->room = (uint16_t)(slab->units * UNIT / class_size[class]);
	slab_link_locked(shard, slab);
	return slab;
}

/* NULL: there are no early blocks any more. */
static void *
early_take_locked(unsigned class)
{
	size_t size = class_size[class], natural = size & -size, align = natural < EARLY_ALIGN ? natural : EARLY_ALIGN;
	if ((!chunks.early && !(chunks.early = chunk_new_locked())))
		return NULL;
	size_t at = (chunks.early_used + align - 1) & ~(align - 1);
	if (HEAD + at + size > UNIT)
		return NULL;
	chunks.early->early = true;
	chunks.early->early_class[at / GRAIN] = (uint8_t)class;
	chunks.early_used = at + size;
	return (char *)chunks.early + HEAD + at;
}

static void *
early_take(unsigned class)
{
	if (class_size[class] > EARLY_MAX || fg_load_relaxed(&early_over))
		return NULL;
	fg_spinlock_lock(&chunks.lock);
	void *block = early_take_locked(class);
	fg_spinlock_unlock(&chunks.lock);
	if (!block)
		fg_store_relaxed(&early_over, 1);
	return block;
}

static void *
block_take_locked(struct shard *shard, unsigned class, size_t align)
{
	struct slab *slab = shard->with_room[class];
	void *block = slab || align > EARLY_ALIGN ? NULL : early_take(class);
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
block_give_locked(struct shard *shard, struct slab *slab, void *block)
{
	*(void **)block = slab->free;
	slab->free = block;
	if (!slab->link)
		slab_link_locked(shard, slab);
	bool only = !slab->next && slab->link == &shard->with_room[slab->class];
	if (--slab->used == 0 && !(only && class_size[slab->class] <= KEPT_MAX)) {
		slab_unlink_locked(slab);
		run_give(slab);
	}
}

/* ---- Blocks ---- */

static struct shard *
own_shard(void)
{
	uint64_t hash = ((uintptr_t)fg_context_tls() >> 6) * UINT64_C(0x9e3779b97f4a7c15);
	return &shards[(hash >> 32) & (n_shards - 1)];
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
	size_t before = align > HEAD ? align : HEAD, all;
	if (__builtin_add_overflow(size, before + HEAD - 1, &all) || align > CHUNK / 2)
		return NULL;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	all = (size + before + page - 1) & ~(page - 1);
	fg_spinlock_lock(&chunks.lock);
	struct chunk *chunk = chunk_map_locked(all);
	fg_spinlock_unlock(&chunks.lock);
	if (!chunk)
		return NULL;
	chunk->magic = MAGIC_LARGE;
	return (char *)chunk + before;
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
	return chunk_of(memory)->magic == MAGIC_LARGE;
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
	return (uintptr_t)memory & (CHUNK - 1);
}

static bool
is_early(const void *memory)
{
	return place_of(memory) < UNIT;
}

static struct slab *
slab_of(const void *memory)
{
	struct chunk *chunk = chunk_of(memory);
	return &chunk->slab[chunk->first_of[place_of(memory) / UNIT]];
}

static void
small_free(void *memory)
{
	struct slab *slab = slab_of(memory);
	struct shard *shard = &shards[slab->shard];
	fg_spinlock_lock(&shard->lock);
	if (chunk_of(memory)->epoch == shard->epoch)
		block_give_locked(shard, slab, memory);
	fg_spinlock_unlock(&shard->lock);
}

static void
large_free(void *memory)
{
	fg_spinlock_lock(&chunks.lock);
	chunk_unmap_locked(chunk_of(memory));
	fg_spinlock_unlock(&chunks.lock);
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
		large_free(memory);
	else if (!is_early(memory))
		small_free(memory);
	leave(entered);
	errno = saved;
}

static size_t
room_of(const void *memory)
{
	struct chunk *chunk = chunk_of(memory);
	size_t place = place_of(memory);
	if (is_large(memory))
		return chunk->mapped - place;
	return class_size[is_early(memory) ? chunk->early_class[(place - HEAD) / GRAIN] : slab_of(memory)->class];
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

static bool
is_held(struct fg_spinlock *lock)
{
	return fg_load_relaxed(&lock->state) != 0;
}

/* If one lock was held, all data are given up, because a slab moves between the lists of both kinds. */
void
fg_memory_after_fork(void)
{
	bool held = is_held(&chunks.lock);
	for (unsigned i = 0; i < SHARDS_MAX; i++)
		held |= is_held(&shards[i].lock);
	fg_spinlock_init(&chunks.lock, FG_RANK_CHUNKS);
	for (unsigned i = 0; i < SHARDS_MAX; i++)
		fg_spinlock_init(&shards[i].lock, FG_RANK_MEMORY);
	if (!held)
		return;
	uint32_t epoch = ++chunks.epoch;
	chunks.with_room = NULL;
	chunks.n_empty = 0;
	chunks.early = NULL;
	chunks.hint = NULL;
	fg_store_relaxed(&early_over, 1);
	for (unsigned i = 0; i < SHARDS_MAX; i++) {
		shards[i].epoch = epoch;
		memset(shards[i].with_room, 0, sizeof shards[i].with_room);
	}
}
#endif
