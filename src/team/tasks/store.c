/* Store: slow paths (floor: team); see store.h. */
#include "team/tasks/store.h"

#include "platform/memory.h"
#include "platform/sanitizer.h"
#include "team/tasks/family.h"

_Static_assert(sizeof(struct fg_family) % 64 == 0, "a family has cache lines of its own");

#define SLAB_FAMILIES 60

static const size_t sizes[FG_BLOCK_KINDS] = {sizeof(struct fg_family), 256, 512, 1024};

static void *
allocate(size_t size)
{
	return fg_memory_aligned(64, (size + 63) & ~(size_t)63);
}

static void
keep(struct fg_store *store, struct fg_block *block)
{
	assert(block->store == store && block->kind < FG_BLOCK_KINDS);
	block->next = store->free[block->kind];
	store->free[block->kind] = block;
	store->count[block->kind]++;
}

static void
families_new(struct fg_store *store)
{
	struct fg_family *slab = allocate((1 + SLAB_FAMILIES) * sizeof *slab);
	if (!slab)
		return;
	slab->block.next = store->slabs;
	store->slabs = &slab->block;
	for (unsigned i = 1; i <= SLAB_FAMILIES; i++) {
		slab[i].block.store = store;
		slab[i].block.kind = FG_BLOCK_FAMILY;
		keep(store, &slab[i].block);
	}
}

static void
take_returned(struct fg_store *store)
{
	if (!fg_load_relaxed(&store->returned))
		return;
	struct fg_block *block = fg_exchange_acquire(&store->returned, NULL);
	while (block) {
		struct fg_block *next = block->next;
		fg_happens_after(block); /* the program's own data lay in it */
		if (block->kind != FG_BLOCK_FAMILY && store->count[block->kind] >= FG_STORE_KEEP)
			fg_memory_free(block);
		else
			keep(store, block);
		block = next;
	}
}

void *
fg_store_get_slow(struct fg_store *store, enum fg_block_kind kind, size_t size)
{
	if (kind != FG_BLOCK_LARGE) {
		take_returned(store);
		if (!store->free[kind] && kind == FG_BLOCK_FAMILY)
			families_new(store);
		if (store->free[kind])
			return fg_store_get(store, kind, size);
		if (kind == FG_BLOCK_FAMILY)
			return NULL;
		size = sizes[kind];
	}
	struct fg_block *block = allocate(size);
	if (!block)
		return NULL;
	assert((uintptr_t)block % 64 == 0);
	block->store = store;
	block->kind = kind;
	return block;
}

void
fg_store_put_slow(struct fg_store *own, struct fg_block *block)
{
	if (block->kind == FG_BLOCK_LARGE || (block->store == own && block->kind != FG_BLOCK_FAMILY)) {
		fg_memory_free(block);
	} else if (block->store == own) {
		keep(own, block);
	} else {
		struct fg_atomic_ptr *list = &block->store->returned;
		void *first = fg_load_relaxed(list);
		fg_happens_before(block);
		do
			block->next = first;
		while (!fg_cas_release(list, &first, block));
	}
}

void
fg_store_put_chain(struct fg_block *first, struct fg_block *last)
{
	struct fg_atomic_ptr *list = &first->store->returned;
	void *old = fg_load_relaxed(list);
	assert(first->kind != FG_BLOCK_LARGE && !last->next);
	do
		last->next = old;
	while (!fg_cas_release(list, &old, first));
}

static void
families_free(struct fg_store *store)
{
	while (store->slabs) {
		struct fg_block *slab = store->slabs;
		store->slabs = slab->next;
		fg_memory_free(slab);
	}
	store->free[FG_BLOCK_FAMILY] = NULL;
	store->count[FG_BLOCK_FAMILY] = 0;
}

void
fg_store_rest(struct fg_store *store)
{
	take_returned(store);
	assert(fg_store_valid(store));
	if (store->count[FG_BLOCK_FAMILY] > FG_STORE_KEEP)
		families_free(store);
}

void
fg_store_clear(struct fg_store *store)
{
	take_returned(store);
	assert(fg_store_valid(store));
	for (unsigned kind = FG_BLOCK_FAMILY + 1; kind < FG_BLOCK_KINDS; kind++)
		while (store->free[kind]) {
			struct fg_block *block = store->free[kind];
			store->free[kind] = block->next;
			fg_memory_free(block);
		}
	families_free(store);
	*store = (struct fg_store){0};
}
