/* Plain memory under the interleaving checker: data races and use after free.
 *
 * The code under test is compiled with -fsanitize=thread but linked without its library. gcc plants calls before
 * each plain access, and these calls come here. Two accesses to one byte, one of them a write, must be ordered by
 * happens-before. The heap is an arena that starts anew with each run and never gives an address twice. */
#include "internal.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CELLS (1 << 15)
#define ARENA_BASE ((char *)0x610000000000)
#define ARENA_SIZE (64ul << 20)

/* Eight bytes of memory: the last threads that touched each of them. */
struct cell {
	uint32_t write_stamp, read_stamp[MODEL_THREADS];
	uint8_t write_thread, write_mask, read_mask[MODEL_THREADS];
	uint8_t racy; /* bytes that may race */
	void *write_code, *read_code[MODEL_THREADS];
};

static struct cell *cells;
static struct model_index index_;
static char *arena_next;
static uint8_t *arena_freed; /* one per 16 bytes of the arena */
static const char *tls_low, *tls_high;

void
model_plain_tls(const char *low, const char *high)
{
	tls_low = low;
	tls_high = high;
}

void
model_plain_reset(void)
{
	if (!cells) {
		cells = calloc(CELLS, sizeof *cells);
		model_index_init(&index_, CELLS);
		arena_freed = mmap(NULL, ARENA_SIZE / 16, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		arena_next = mmap(ARENA_BASE, ARENA_SIZE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
		if (!cells || arena_freed == MAP_FAILED || arena_next != ARENA_BASE)
			abort();
	}
	memset(arena_freed, 0, (arena_next - ARENA_BASE) / 16);
	arena_next = ARENA_BASE;
	model_index_reset(&index_);
}

/* Fails if the address lies in memory that was given back. */
void
model_plain_alive(const void *address, const void *code)
{
	uintptr_t offset = (const char *)address - ARENA_BASE;
	if (offset < ARENA_SIZE && arena_freed[offset / 16])
		model_fail("use after free of %s in %s", model_name(address), model_where(code));
}

static struct cell *
cell_get(uintptr_t granule)
{
	bool fresh;
	uint32_t number = model_index_get(&index_, granule, &fresh);
	if (number == CELLS)
		return NULL; /* The table is full, so this access goes unchecked. */
	if (fresh)
		memset(&cells[number], 0, sizeof *cells);
	return &cells[number];
}

static void
race(const char *what, unsigned other, const char *was, void *other_code, void *code, uintptr_t granule)
{
	model_fail("data race on %s: thread %u %s in %s, thread %u %s in %s", model_name((void *)(granule << 3)),
		   model_run.current, what, model_where(code), other, was, model_where(other_code));
}

static void
touch_granule(uintptr_t granule, uint8_t mask, bool write, void *code)
{
	struct cell *c = cell_get(granule);
	if (!c || c->racy & mask)
		return;
	unsigned self = model_run.current;
	struct model_thread *t = model_current();
	if (c->write_mask & mask && c->write_thread != self && c->write_stamp > t->now.hb[c->write_thread])
		race(write ? "writes" : "reads", c->write_thread, "wrote", c->write_code, code, granule);
	uint32_t stamp = t->now.hb[self] + 1; /* the next operation is the first that can publish it */
	if (!write) {
		if (c->read_stamp[self] != stamp)
			c->read_mask[self] = 0;
		c->read_stamp[self] = stamp;
		c->read_mask[self] |= mask;
		c->read_code[self] = code;
		return;
	}
	for (unsigned i = 0; i < model_run.threads; i++)
		if (i != self && c->read_mask[i] & mask && c->read_stamp[i] > t->now.hb[i])
			race("writes", i, "read", c->read_code[i], code, granule);
	if (c->write_thread != self || c->write_stamp != stamp)
		c->write_mask = 0;
	c->write_thread = self;
	c->write_stamp = stamp;
	c->write_mask |= mask;
	c->write_code = code;
}

void
model_racy(const void *address, size_t size)
{
	uintptr_t low = (uintptr_t)address;
	for (uintptr_t a = low; a < low + size; a++) {
		struct cell *c = cell_get(a >> 3);
		if (c)
			c->racy |= 1 << (a & 7);
	}
}

void
model_plain_touch(const void *address, size_t size, bool write, void *code)
{
	if (!model_run.inside || ((const char *)address >= tls_low && (const char *)address < tls_high))
		return;
	model_plain_alive(address, code);
	uintptr_t low = (uintptr_t)address, high = low + size;
	for (uintptr_t g = low >> 3; g << 3 < high; g++) {
		unsigned from = g == low >> 3 ? low & 7 : 0;
		unsigned to = high - (g << 3) < 8 ? high - (g << 3) : 8;
		touch_granule(g, (uint8_t)((0xff >> (8 - (to - from))) << from), write, code);
	}
}

#define CODE __builtin_return_address(0)
#define ACCESS(size)                                                                                                   \
	void __tsan_read##size(void *a)                                                                                \
	{                                                                                                              \
		model_plain_touch(a, size, false, CODE);                                                               \
	}                                                                                                              \
	void __tsan_write##size(void *a)                                                                               \
	{                                                                                                              \
		model_plain_touch(a, size, true, CODE);                                                                \
	}                                                                                                              \
	void __tsan_unaligned_read##size(void *a)                                                                      \
	{                                                                                                              \
		model_plain_touch(a, size, false, CODE);                                                               \
	}                                                                                                              \
	void __tsan_unaligned_write##size(void *a)                                                                     \
	{                                                                                                              \
		model_plain_touch(a, size, true, CODE);                                                                \
	}                                                                                                              \
	void __tsan_volatile_read##size(void *a)                                                                       \
	{                                                                                                              \
		(void)a;                                                                                               \
	}                                                                                                              \
	void __tsan_volatile_write##size(void *a)                                                                      \
	{                                                                                                              \
		(void)a;                                                                                               \
	}                                                                                                              \
	void __tsan_unaligned_volatile_read##size(void *a)                                                             \
	{                                                                                                              \
		(void)a;                                                                                               \
	}                                                                                                              \
	void __tsan_unaligned_volatile_write##size(void *a)                                                            \
	{                                                                                                              \
		(void)a;                                                                                               \
	}
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
void __tsan_read_range(void *a, unsigned long size) { model_plain_touch(a, size, false, CODE); }
void __tsan_write_range(void *a, unsigned long size) { model_plain_touch(a, size, true, CODE); }
void __tsan_atomic_signal_fence(int order) { (void)order; }
void __tsan_func_entry(void *code) { (void)code; }
void __tsan_func_exit(void) {}
void __tsan_init(void) {}

/* The heap of the code under test. It is linked with --wrap=malloc and so on. */
static void *
arena_take(size_t size, size_t align)
{
	if (align < 16)
		align = 16;
	char *block = (char *)(((uintptr_t)arena_next + 16 + align - 1) & ~(align - 1));
	if (size > ARENA_SIZE || block + size + 16 > ARENA_BASE + ARENA_SIZE)
		model_fail("the arena of a run (%lu MiB) is full", ARENA_SIZE >> 20);
	((size_t *)block)[-2] = size;
	arena_next = (char *)(((uintptr_t)block + size + 15) & ~15ul);
	return block;
}

void *
__wrap_malloc(size_t size)
{
	return memset(arena_take(size, 16), 0xa5, size);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return memset(arena_take(n * size, 16), 0, n * size);
}

void *
__wrap_aligned_alloc(size_t align, size_t size)
{
	return memset(arena_take(size, align), 0xa5, size);
}

int
__wrap_posix_memalign(void **out, size_t align, size_t size)
{
	*out = __wrap_aligned_alloc(align, size);
	return 0;
}

void
__wrap_free(void *block)
{
	if (!block)
		return;
	size_t offset = (char *)block - ARENA_BASE, size = ((size_t *)block)[-2];
	if (offset >= ARENA_SIZE)
		model_fail("free of %p, which was not allocated in this run", block);
	model_plain_alive(block, CODE);
	model_plain_touch(block, size, true, CODE);
	memset(arena_freed + offset / 16, 1, (size + 15) / 16);
}

void *
__wrap_realloc(void *block, size_t size)
{
	void *fresh = __wrap_malloc(size);
	if (block) {
		size_t old = ((size_t *)block)[-2];
		memcpy(fresh, block, old < size ? old : size);
		__wrap_free(block);
	}
	return fresh;
}

void *
model_alloc(size_t size)
{
	return memset(arena_take(size, 64), 0, size);
}

void *
model_stack_new(size_t size)
{
	return arena_take(size, 64);
}
