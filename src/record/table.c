/* Tables of counters (floor: record): see count.h.
 *
 * There is a table for each region, size of team and member that ran at a time; the calls of a region add to the
 * same ones. So the trace is as long as the blocks that members use are many, however often regions run. Tables lie
 * in lists, which only grow at their heads, and are never freed. A thread takes one by setting `taken`, and gives it
 * back when its part ends. There is no lock, because a user-level thread may be preempted anywhere.
 *
 * What has been counted is told when the trace ends, or when a table must make room. Then its pages of counters are
 * used anew, and nothing is lost. */
#define _GNU_SOURCE
#include "record/count.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

#define LISTS 256
#define FRONT (1u << FRONT_BITS)
#define USE_MOST (1u << 29) /* units of one event */
#define SLOTS_FIRST 64
#define CHUNK (1u << 20)	  /* so much is mapped at a time */
#define PAGES_MOST (1u << 18)	  /* of counters, in all tables: 1 GiB */
#define PAGES_LEAST 64		  /* a table may have so many in any case */
#define PAGES_OF_TABLE (1u << 16) /* and so many at most */

struct table {
	struct table *next;
	struct fgomp_part part; /* its last call; region, members and member never change */
	_Atomic bool taken;
	struct slot *front;
	struct slot *slots;    /* all its pages, by hash */
	unsigned shift, n;     /* 64 less the binary logarithm of the number of slots; pages */
	char *room, *room_end; /* for further pages of counters */
	struct counter *spare; /* pages that were told; the first word of each is the address of the next */
};

static struct slot none[FRONT];
_Thread_local struct mine fg_mine = {.front = none, .state = ASKS};
static _Thread_local volatile bool busy; /* a signal handler must not step into a change of the table */

static const struct fgomp_recording *recording;
static _Atomic(struct table *) lists[LISTS];
static _Atomic unsigned n_pages;

static void *
mapped(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

static void
tell(const struct fgomp_part *part, uintptr_t address, struct counter *counter)
{
	struct counter told = *counter;
	if (!told.reads && !told.writes)
		return;
	*counter = (struct counter){0};
	const void *block = (const void *)(address / BLOCK * BLOCK);
	for (unsigned writes = 0; writes < 2; writes++)
		for (uint32_t left = writes ? told.writes : told.reads, units; left; left -= units) {
			units = left < USE_MOST ? left : USE_MOST;
			recording->use(part, block, units, (int)writes);
		}
}

void
fg_counter_tell(uintptr_t address, struct counter *counter)
{
	if (fg_mine.table)
		tell(&fg_mine.table->part, address, counter);
}

static void
tell_all(struct table *table)
{
	size_t n = (size_t)1 << (64 - table->shift);
	for (size_t i = 0; i < n; i++) {
		/* At the end of the program the table's thread may still count, and begin anew. */
		uintptr_t page = __atomic_load_n(&table->slots[i].page, __ATOMIC_ACQUIRE);
		struct counter *counters = __atomic_load_n(&table->slots[i].counters, __ATOMIC_RELAXED);
		for (unsigned block = 0; page && counters && block < PAGE_BLOCKS; block++)
			tell(&table->part, (page << PAGE_BITS) + block * BLOCK, &counters[block]);
	}
}

/* Tells all, and has all its pages of counters to spare. */
static void
start_anew(struct table *table)
{
	size_t n = (size_t)1 << (64 - table->shift);
	tell_all(table);
	for (size_t i = 0; i < n; i++) {
		if (!table->slots[i].page)
			continue;
		*(struct counter **)table->slots[i].counters = table->spare;
		table->spare = table->slots[i].counters;
		table->slots[i] = (struct slot){0};
	}
	for (size_t i = 0; i < FRONT; i++)
		table->front[i] = (struct slot){0};
	table->n = 0;
}

static struct slot *
probe(struct slot *slots, unsigned shift, uintptr_t page)
{
	size_t mask = ((size_t)1 << (64 - shift)) - 1;
	struct slot *slot = &slots[page * UINT64_C(0x9e3779b97f4a7c15) >> shift];
	while (slot->page && slot->page != page)
		slot = &slots[(size_t)(slot + 1 - slots) & mask];
	return slot;
}

/* Twice as many slots. The old ones stay, because the thread that ends the trace may look at them: with the new shift
 * only if it sees the new ones. */
static bool
grow(struct table *table)
{
	size_t n = (size_t)1 << (64 - table->shift);
	struct slot *slots = mapped(2 * n * sizeof *slots);
	if (!slots)
		return false;
	for (size_t i = 0; i < n; i++)
		if (table->slots[i].page)
			*probe(slots, table->shift - 1, table->slots[i].page) = table->slots[i];
	table->slots = slots;
	table->shift--;
	return true;
}

static struct counter *
page_new(struct table *table)
{
	struct counter *page = table->spare;
	if (page) {
		table->spare = *(struct counter **)page;
		*page = (struct counter){0};
		return page;
	}
	if (table->room == table->room_end) {
		table->room = mapped(CHUNK);
		table->room_end = table->room ? table->room + CHUNK : NULL;
	}
	if (!table->room)
		return NULL;
	page = (struct counter *)table->room;
	table->room += PAGE_BLOCKS * sizeof *page;
	atomic_fetch_add_explicit(&n_pages, 1, memory_order_relaxed);
	return page;
}

/* A signal handler finds a slot that fits together at each moment. */
static void
set_front(struct table *table, const struct slot *slot)
{
	struct slot *front = front_of(table->front, slot->page);
	front->page = 0;
	atomic_signal_fence(memory_order_seq_cst);
	front->counters = slot->counters;
	atomic_signal_fence(memory_order_seq_cst);
	front->page = slot->page;
}

static struct counter *
find(struct table *table, uintptr_t address)
{
	uintptr_t page = address >> PAGE_BITS;
	struct slot *slot = probe(table->slots, table->shift, page);
	if (!slot->page) {
		bool many = !table->spare && table->n >= PAGES_LEAST &&
			    atomic_load_explicit(&n_pages, memory_order_relaxed) >= PAGES_MOST;
		if (many || table->n == PAGES_OF_TABLE)
			start_anew(table);
		if (2 * table->n >= (size_t)1 << (64 - table->shift) && !grow(table))
			return NULL;
		slot = probe(table->slots, table->shift, page);
		slot->counters = page_new(table);
		if (!slot->counters)
			return NULL;
		__atomic_store_n(&slot->page, page, __ATOMIC_RELEASE);
		table->n++;
	}
	set_front(table, slot);
	return &slot->counters[address / BLOCK % PAGE_BLOCKS];
}

static struct table *
table_new(const struct fgomp_part *part)
{
	struct table *table = mapped(sizeof *table + (FRONT + SLOTS_FIRST) * sizeof *table->slots);
	if (!table)
		return NULL;
	table->part = *part;
	table->taken = true;
	table->front = (struct slot *)(table + 1);
	table->slots = table->front + FRONT;
	table->shift = 64 - __builtin_ctz(SLOTS_FIRST);
	return table;
}

static struct table *
table_take(const struct fgomp_part *part)
{
	uintptr_t hash = ((uintptr_t)part->region >> 4) + part->member * 31 + part->members;
	_Atomic(struct table *) *list = &lists[hash % LISTS];
	struct table *first = atomic_load_explicit(list, memory_order_acquire);
	for (struct table *table = first; table; table = table->next)
		if (table->part.region == part->region && table->part.member == part->member &&
		    table->part.members == part->members &&
		    !atomic_load_explicit(&table->taken, memory_order_relaxed) &&
		    !atomic_exchange_explicit(&table->taken, true, memory_order_acquire)) {
			table->part.bubble = part->bubble;
			return table;
		}
	struct table *table = table_new(part);
	if (!table)
		return NULL;
	do
		table->next = first;
	while (!atomic_compare_exchange_weak_explicit(list, &first, table, memory_order_release, memory_order_acquire));
	return table;
}

/* Finds out whose accesses these are. */
static void
ask(void)
{
	struct fgomp_part part;
	fg_mine.state = NOBODY;
	if (!recording || !recording->part(&part))
		return;
	struct table *table = table_take(&part);
	if (!table) {
		recording->lost(1);
		return;
	}
	fg_mine.table = table;
	fg_mine.front = table->front;
	fg_mine.state = COUNTS;
}

struct counter *
fg_counter_of(uintptr_t address)
{
	struct counter *counter = NULL;
	if (fg_mine.state == NOBODY)
		return NULL;
	if (busy) {
		if (recording)
			recording->lost(1);
		return NULL;
	}
	busy = true;
	atomic_signal_fence(memory_order_seq_cst);
	if (fg_mine.state == ASKS)
		ask();
	if (fg_mine.state == COUNTS && !(counter = find(fg_mine.table, address)))
		recording->lost(1);
	atomic_signal_fence(memory_order_seq_cst);
	busy = false;
	return counter;
}

void
fg_count_range(uintptr_t address, uintptr_t bytes, unsigned reads, unsigned writes)
{
	while (bytes) {
		uintptr_t here = BLOCK - address % BLOCK;
		here = here < bytes ? here : bytes;
		unsigned units = (unsigned)((here + UNIT - 1) / UNIT);
		fg_count_block(address, reads * units, writes * units);
		address += here;
		bytes -= here;
	}
}

void
fg_tables_leave(void)
{
	struct table *table = fg_mine.table;
	bool was_busy = busy;
	busy = true; /* a signal handler may come in between */
	atomic_signal_fence(memory_order_seq_cst);
	fg_mine.front = none;
	fg_mine.table = NULL;
	fg_mine.state = ASKS;
	atomic_signal_fence(memory_order_seq_cst);
	busy = was_busy;
	if (table)
		atomic_store_explicit(&table->taken, false, memory_order_release);
}

void
fg_tables_end(void)
{
	for (unsigned i = 0; i < LISTS; i++)
		for (struct table *table = atomic_load(&lists[i]); table; table = table->next)
			tell_all(table);
}

void
fg_tables_begin(const struct fgomp_recording *with)
{
	recording = with;
}
