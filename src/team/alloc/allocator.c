/* Allocators (floor: team): see allocator.h.
 *
 * Invariant, where the pool has a limit: used == sum of header.charged over the allocator's blocks <= limit. */
#include "team/alloc/allocator.h"
#include "base/atomic.h"
#include "base/log.h"
#include "platform/sanitizer.h"
#include "sched/in_force.h"
#include "team/alloc/shelf.h"
#include "team/alloc/trait.h"
#include "team/env/icv.h"
#include "team/hints/areas.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct allocator {
	uintptr_t space;
	struct fg_traits traits;
	bool on_pages;		   /* its blocks come from shelf.h and pages.h, not from malloc */
	struct fg_atomic_u64 used; /* bytes taken from the pool, headers included; 0 where it has no limit */
	struct fg_shelves shelves;
};

/* A header lies before each block. Its size keeps a block aligned to 16 bytes at least, where malloc aligns to that. */
struct header {
	void *memory;	 /* The memory that malloc or the shelf gave. NULL where a block has pages of its own. */
	size_t charged;	 /* bytes taken from the pool */
	size_t size;	 /* bytes of the block */
	uintptr_t owner; /* handle of the allocator */
};

/* Predefined allocators of GCC 15 and 16. */
enum { PINNED_ALLOC = 200, MANAGED_ALLOC = 201, SMALLEST_POINTER = 4096 };

static struct allocator pinned_alloc = {
	.traits.value =
		{[FG_ALIGNMENT] = 1, [FG_POOL_SIZE] = FG_NO_LIMIT, [FG_FALLBACK] = FG_NULL_FB, [FG_PINNED] = true},
	.on_pages = true,
	.shelves = {.partition = FG_ENVIRONMENT, .pinned = true},
};

/* Makes an allocator with these traits. 0: this machine has no such memory. */
static uintptr_t
allocator_new(uintptr_t space, const struct fg_traits *traits)
{
	if (space == FG_SPACE_HIGH_BW)
		return 0;
	struct allocator *allocator = malloc(sizeof *allocator);
	if (!allocator)
		fg_fatal("Out of memory allocating %zu bytes", sizeof *allocator);
	enum fg_partition partition = (enum fg_partition)traits->value[FG_PARTITION];
	bool pinned = traits->value[FG_PINNED];
	*allocator = (struct allocator){
		.space = space,
		.traits = *traits,
		.on_pages = pinned || (partition != FG_ENVIRONMENT && fg_pages_placeable()),
		.shelves = {.partition = partition, .pinned = pinned},
	};
	return (uintptr_t)allocator;
}

uintptr_t
fg_allocator_new(uintptr_t space, int count, const struct fg_trait *traits)
{
	struct fg_traits all;
	if (space >= FG_SPACES) {
		fg_error("omp_init_allocator: there is no memory space %" PRIuPTR
			 ", they are 0 (omp_default_mem_space) to 4 (omp_low_lat_mem_space); no allocator is made",
			 space);
		return 0;
	}
	fg_traits_default(&all);
	for (int i = 0; i < count; i++)
		if (!fg_traits_set(&all, traits[i].key, traits[i].value, "omp_init_allocator"))
			return 0;
	return allocator_new(space, &all);
}

uintptr_t
fg_allocator_from_env(void)
{
	struct fg_allocator_text wanted;
	if (!fg_env_allocator("OMP_ALLOCATOR", &wanted))
		return FG_ALLOCATOR_DEFAULT;
	uintptr_t handle = wanted.handle ? wanted.handle : allocator_new(wanted.space, &wanted.traits);
	if (!handle)
		fg_error("OMP_ALLOCATOR: omp_high_bw_mem_space is not to be had here; omp_default_mem_alloc is taken");
	return handle ? handle : FG_ALLOCATOR_DEFAULT;
}

static struct allocator *
from_handle(uintptr_t handle)
{
	if (handle >= SMALLEST_POINTER)
		return (struct allocator *)handle;
	return handle == PINNED_ALLOC ? &pinned_alloc : NULL;
}

void
fg_allocator_print(FILE *out, uintptr_t handle)
{
	for (int i = 0; i < FG_ALLOCATOR_NAMES; i++)
		if ((uintptr_t)fg_allocator_names[i].value == handle)
			fputs(fg_allocator_names[i].word, out);
	if (handle >= SMALLEST_POINTER)
		fg_traits_print(out, from_handle(handle)->space, &from_handle(handle)->traits);
}

void
fg_allocator_destroy(uintptr_t handle)
{
	if (handle < SMALLEST_POINTER)
		return;
	fg_shelves_clear(&from_handle(handle)->shelves);
	free(from_handle(handle));
}

/* Takes `bytes` from the pool, and gives `back` other bytes back in the same step. False: the limit forbids it. */
static bool
charge(struct allocator *allocator, size_t bytes, size_t back)
{
	uintptr_t limit = allocator ? allocator->traits.value[FG_POOL_SIZE] : FG_NO_LIMIT;
	if (limit == FG_NO_LIMIT)
		return true;
	uint64_t used = fg_load_relaxed(&allocator->used), wanted;
	do {
		if (__builtin_add_overflow(used - back, bytes, &wanted) || wanted > limit)
			return false;
	} while (!fg_cas_relaxed(&allocator->used, &used, wanted));
	return true;
}

static struct header *
header_of(void *block)
{
	return (struct header *)block - 1;
}

/* Gets `total` bytes: enough for the header, the block, and the bytes that its alignment may skip. Returns the
 * block. Its header is complete except for the owner. */
static void *
get_memory(struct allocator *allocator, const struct fg_alloc_request *request, size_t total)
{
	size_t align = request->align;
	void *memory;
	if (!allocator || !allocator->on_pages) {
		memory = request->zeroed ? calloc(1, total) : malloc(total);
	} else if (total <= FG_SHELF_MAX) {
		memory = fg_shelf_get(&allocator->shelves, total);
		fg_happens_after(memory);
		if (memory && request->zeroed)
			memset(memory, 0, total);
	} else {
		struct fg_pages_order order = {request->size, align, sizeof(struct header),
					       allocator->shelves.partition, allocator->shelves.pinned};
		void *block = fg_pages_get(&order);
		if (block)
			*header_of(block) = (struct header){.charged = total, .size = request->size};
		if (__builtin_expect(fg_policies.wants & FG_WANTS_AREAS, 0) && block &&
		    order.partition != FG_ENVIRONMENT)
			fg_areas_allocated(block, request->size);
		return block;
	}
	if (!memory)
		return NULL;
	uintptr_t block = ((uintptr_t)memory + sizeof(struct header) + align - 1) & ~(uintptr_t)(align - 1);
	*header_of((void *)block) = (struct header){.memory = memory, .charged = total, .size = request->size};
	return (void *)block;
}

static void
put_memory(void *block)
{
	struct header header = *header_of(block);
	struct allocator *allocator = from_handle(header.owner);
	if (!header.memory) {
		if (__builtin_expect(fg_policies.wants & FG_WANTS_AREAS, 0))
			fg_areas_freed(block, header.size);
		fg_pages_put(header_of(block), (char *)block + header.size);
	} else if (allocator && allocator->on_pages) {
		fg_happens_before(header.memory);
		fg_shelf_put(header.memory);
	} else
		free(header.memory);
}

/* A block of this very allocator, or NULL. `back`: bytes of an old block, which the call gives back if it succeeds. */
static void *
allocate(struct fg_alloc_request request, uintptr_t handle, size_t back)
{
	struct allocator *allocator = from_handle(handle);
	size_t total;
	if (allocator && request.align < allocator->traits.value[FG_ALIGNMENT])
		request.align = allocator->traits.value[FG_ALIGNMENT];
	if (request.align < sizeof(void *))
		request.align = sizeof(void *);
	if (__builtin_add_overflow(request.size, sizeof(struct header) + request.align - sizeof(void *), &total) ||
	    !charge(allocator, total, back))
		return NULL;
	void *block = get_memory(allocator, &request, total);
	if (block)
		header_of(block)->owner = handle;
	else
		charge(allocator, back, total);
	return block;
}

static uintptr_t
default_handle(void)
{
	uintptr_t handle = fg_icv_current()->default_allocator;
	return handle ? handle : FG_ALLOCATOR_DEFAULT;
}

/* The allocator to try after `handle` had no memory. 0: there is none. */
static uintptr_t
fallback_of(uintptr_t handle, size_t size)
{
	struct allocator *allocator = from_handle(handle);
	if (!allocator)
		return 0;
	switch (allocator->traits.value[FG_FALLBACK]) {
	case FG_DEFAULT_MEM_FB:
		return FG_ALLOCATOR_DEFAULT;
	case FG_ALLOCATOR_FB: {
		/* 0 would mean the caller's default, which may be this very allocator. */
		uintptr_t next = allocator->traits.value[FG_FB_DATA];
		return next ? next : FG_ALLOCATOR_DEFAULT;
	}
	case FG_ABORT_FB:
		fg_fatal("Out of memory allocating %zu bytes", size);
	default:
		return 0;
	}
}

static bool
is_supported(uintptr_t handle)
{
	if (handle <= FG_ALLOCATOR_PREDEFINED || handle == PINNED_ALLOC || handle >= SMALLEST_POINTER)
		return true;
	if (handle == MANAGED_ALLOC)
		fg_error("the allocator ompx_gnu_managed_mem_alloc is not supported; the allocation fails");
	else
		fg_error("%" PRIuPTR
			 " is no allocator: neither predefined nor from omp_init_allocator; the allocation fails",
			 handle);
	return false;
}

void *
fg_alloc(struct fg_alloc_request request, uintptr_t handle)
{
	if (request.size == 0)
		return NULL;
	if (request.align & (request.align - 1)) {
		fg_error("%zu is no alignment: a power of two is wanted; the allocation fails", request.align);
		return NULL;
	}
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
	struct header *header = header_of(block);
	charge(from_handle(header->owner), 0, header->charged);
	put_memory(block);
}

/* Resizes by the C library, which may move pages instead of bytes. NULL: the block does not lie as malloc gives
 * them, or there is no memory. */
static void *
resize_in_malloc(void *block, size_t size)
{
	struct header header = *header_of(block);
	struct allocator *allocator = from_handle(header.owner);
	size_t total;
	if ((allocator && (allocator->on_pages || allocator->traits.value[FG_ALIGNMENT] > sizeof(void *))) ||
	    header.memory != header_of(block) || __builtin_add_overflow(size, sizeof header, &total) ||
	    !charge(allocator, total, header.charged))
		return NULL;
	struct header *new = realloc(header.memory, total);
	if (!new) {
		charge(allocator, header.charged, total);
		return NULL;
	}
	*new = (struct header){new, total, size, header.owner};
	return new + 1;
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
	void *new = same ? resize_in_malloc(block, size) : NULL;
	if (new)
		return new;
	new = is_supported(handle) ? allocate(request, handle, same ? header.charged : 0) : NULL;
	if (!new) {
		same = false;
		handle = fallback_of(handle, size);
		new = handle ? fg_alloc(request, handle) : NULL;
	}
	if (!new)
		return NULL;
	memcpy(new, block, size < header.size ? size : header.size);
	if (same)
		put_memory(block);
	else
		fg_alloc_free(block);
	return new;
}
