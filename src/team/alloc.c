/* Allocators (floor: team; called by gomp). */
#include "team/alloc.h"
#include "base/atomic.h"
#include "base/log.h"
#include "team/icv.h"
#include <stdlib.h>
#include <string.h>

#define NO_LIMIT UINTPTR_MAX
#define SPACE_HIGH_BW 3
#define SPACE_LAST 4 /* low_lat */

enum trait_key { SYNC_HINT = 1, ALIGNMENT, ACCESS, POOL_SIZE, FALLBACK, FB_DATA, PINNED, PARTITION };

/* Values, as in omp_alloctrait_value_t. */
enum {
	IS_FALSE = 0,
	CONTENDED = 3,
	PRIVATE = 6,
	ALL = 7,
	CGROUP = 10,
	DEFAULT_MEM_FB = 11,
	NULL_FB = 12,
	ABORT_FB = 13,
	ALLOCATOR_FB = 14,
	ENVIRONMENT = 15,
	INTERLEAVED = 18,
};
#define IS_DEFAULT UINTPTR_MAX

struct allocator {
	uintptr_t space;
	uintptr_t traits[PARTITION + 1];
	struct fg_atomic_u64 used; /* bytes of the pool, headers included */
};

/* Lies before each block; its size keeps a block at least 16 bytes aligned where malloc does. */
struct header {
	void *memory;	 /* from malloc */
	size_t charged;	 /* bytes of the pool */
	size_t size;	 /* bytes of the block */
	uintptr_t owner; /* handle */
};

/* What a trait may be: one of a range of values, or anything. */
static const struct {
	uintptr_t first, last, by_default;
} trait_values[] = {
	[SYNC_HINT] = {CONTENDED, PRIVATE, CONTENDED},
	[ALIGNMENT] = {1, UINTPTR_MAX, 1},
	[ACCESS] = {ALL, CGROUP, ALL},
	[POOL_SIZE] = {0, UINTPTR_MAX, NO_LIMIT},
	[FALLBACK] = {DEFAULT_MEM_FB, ALLOCATOR_FB, DEFAULT_MEM_FB},
	[FB_DATA] = {0, UINTPTR_MAX, 0},
	[PINNED] = {IS_FALSE, IS_FALSE, IS_FALSE}, /* not supported */
	[PARTITION] = {ENVIRONMENT, INTERLEAVED, ENVIRONMENT},
};

uintptr_t
fg_allocator_new(uintptr_t space, int count, const struct fg_trait *traits)
{
	if (space > SPACE_LAST || space == SPACE_HIGH_BW)
		return 0;
	struct allocator new = {.space = space};
	for (int key = SYNC_HINT; key <= PARTITION; key++)
		new.traits[key] = trait_values[key].by_default;
	for (int i = 0; i < count; i++) {
		int key = traits[i].key;
		uintptr_t value = traits[i].value;
		if (key < SYNC_HINT || key > PARTITION)
			return 0;
		if (value == IS_DEFAULT)
			value = trait_values[key].by_default;
		if (value < trait_values[key].first || value > trait_values[key].last)
			return 0;
		if (key == ALIGNMENT && (value & (value - 1)) != 0)
			return 0;
		new.traits[key] = value;
	}
	struct allocator *allocator = malloc(sizeof *allocator);
	if (!allocator)
		fg_fatal("Out of memory allocating %zu bytes", sizeof *allocator);
	*allocator = new;
	return (uintptr_t)allocator;
}

static struct allocator *
from_handle(uintptr_t handle)
{
	return handle > FG_ALLOCATOR_PREDEFINED ? (struct allocator *)handle : NULL;
}

void
fg_allocator_destroy(uintptr_t handle)
{
	free(from_handle(handle));
}

/* Takes bytes from the pool, and gives `back` of them back in the same step. */
static bool
charge(struct allocator *allocator, size_t bytes, size_t back)
{
	if (!allocator || allocator->traits[POOL_SIZE] == NO_LIMIT)
		return true;
	uint64_t used = fg_load_relaxed(&allocator->used), wanted;
	do {
		if (__builtin_add_overflow(used - back, bytes, &wanted) || wanted > allocator->traits[POOL_SIZE])
			return false;
	} while (!fg_cas_relaxed(&allocator->used, &used, wanted));
	return true;
}

static struct header *
header_of(void *block)
{
	return (struct header *)block - 1;
}

/* A block of this very allocator, or NULL. `back`: bytes of the pool that the caller is about to give back. */
static void *
allocate(struct fg_alloc_request request, uintptr_t handle, size_t back)
{
	struct allocator *allocator = from_handle(handle);
	size_t align = request.align, total;
	if (allocator && align < allocator->traits[ALIGNMENT])
		align = allocator->traits[ALIGNMENT];
	if (align < sizeof(void *))
		align = sizeof(void *);
	if (__builtin_add_overflow(request.size, sizeof(struct header) + align - sizeof(void *), &total) ||
	    !charge(allocator, total, back))
		return NULL;
	char *memory = request.zeroed ? calloc(1, total) : malloc(total);
	if (!memory) {
		charge(allocator, back, total);
		return NULL;
	}
	uintptr_t block = ((uintptr_t)memory + sizeof(struct header) + align - 1) & ~(uintptr_t)(align - 1);
	*header_of((void *)block) = (struct header){memory, total, request.size, handle};
	return (void *)block;
}

static uintptr_t
default_handle(void)
{
	uintptr_t handle = fg_icv_current()->default_allocator;
	return handle ? handle : FG_ALLOCATOR_DEFAULT;
}

/* Where to try next after `handle` had no memory; 0: nowhere. */
static uintptr_t
fallback_of(uintptr_t handle, size_t size)
{
	struct allocator *allocator = from_handle(handle);
	if (!allocator)
		return 0;
	switch (allocator->traits[FALLBACK]) {
	case DEFAULT_MEM_FB:
		return FG_ALLOCATOR_DEFAULT;
	case ALLOCATOR_FB:
		return allocator->traits[FB_DATA] ? allocator->traits[FB_DATA] : default_handle();
	case ABORT_FB:
		fg_fatal("Out of memory allocating %zu bytes", size);
	default:
		return 0;
	}
}

static bool
is_supported(uintptr_t handle)
{
	/* Of GCC 15 and 16: ompx_gnu_pinned_mem_alloc, ompx_gnu_managed_mem_alloc. */
	if (handle != 200 && handle != 201)
		return true;
	fg_error("the allocator %s is not supported; the allocation fails",
		 handle == 200 ? "ompx_gnu_pinned_mem_alloc" : "ompx_gnu_managed_mem_alloc");
	return false;
}

void *
fg_alloc(struct fg_alloc_request request, uintptr_t handle)
{
	if (request.size == 0)
		return NULL;
	if (!handle)
		handle = default_handle();
	while (handle && is_supported(handle)) {
		void *block = allocate(request, handle, 0);
		if (block)
			return block;
		handle = fallback_of(handle, request.size);
	}
	return NULL;
}

void
fg_alloc_free(void *block)
{
	if (!block)
		return;
	struct header header = *header_of(block);
	charge(from_handle(header.owner), 0, header.charged);
	free(header.memory);
}

void *
fg_alloc_resize(void *block, size_t size, uintptr_t handle)
{
	struct fg_alloc_request request = {.align = 1, .size = size};
	if (!block)
		return fg_alloc(request, handle);
	if (size == 0) {
		fg_alloc_free(block);
		return NULL;
	}
	struct header header = *header_of(block);
	if (!handle)
		handle = header.owner;
	/* In the same pool the new block may take the place of the old one. */
	bool same = handle == header.owner;
	void *new = is_supported(handle) ? allocate(request, handle, same ? header.charged : 0) : NULL;
	if (!new) {
		same = false;
		handle = fallback_of(handle, size);
		new = handle ? fg_alloc(request, handle) : NULL;
	}
	if (!new)
		return NULL;
	memcpy(new, block, size < header.size ? size : header.size);
	if (same)
		free(header.memory);
	else
		fg_alloc_free(block);
	return new;
}
