/* Counting an access of the program (floor: record; called by the entries in hooks.c, atomics.c and copies.c).
 *
 * A page of 32 KiB has 512 counters, one for each block of 64 bytes. A part finds the counters of a page in a table by
 * hash, mostly at the first look. Only the identity that has the table writes it: thread-local memory goes with it, also
 * where a member changes its kernel thread. A signal handler of the program may come between, and then at most some
 * accesses are lost. */
#pragma once
#include <stdint.h>

#define BLOCK 64
#define UNIT 8
#define PAGE_BITS 15
#define PAGE_BLOCKS ((1u << PAGE_BITS) / BLOCK)
#define COUNT_MOST (1u << 29) /* a counter that has come so far is told, and begins again */

struct counter {
	uint32_t reads, writes;
};

struct slot {
	uintptr_t page; /* its number; 0: the slot is free */
	struct counter *counters;
};

struct table;

/* The calling thread's table. `slots` is never NULL. */
struct mine {
	struct slot *slots;
	unsigned shift; /* 64 less the binary logarithm of their number */
	unsigned state;
	struct table *table;
};
extern _Thread_local struct mine mine;

/* The counter of this block, or NULL: nobody wants it. */
struct counter *counter_of(uintptr_t address);
/* The counters of this block are told, and begin again. */
void counter_tell(uintptr_t address, struct counter *counter);

static inline struct slot *
slot_of(struct slot *slots, unsigned shift, uintptr_t page)
{
	return &slots[(page * UINT64_C(0x9e3779b97f4a7c15)) >> shift];
}

static inline __attribute__((always_inline)) void
count_block(uintptr_t address, unsigned reads, unsigned writes)
{
	uintptr_t page = address >> PAGE_BITS;
	struct slot *slot = slot_of(mine.slots, mine.shift, page);
	struct counter *counter;
	if (__builtin_expect(slot->page == page, 1))
		counter = &slot->counters[address / BLOCK % PAGE_BLOCKS];
	else if (!(counter = counter_of(address)))
		return;
	if (reads && __builtin_expect((counter->reads += reads) >= COUNT_MOST, 0))
		counter_tell(address, counter);
	if (writes && __builtin_expect((counter->writes += writes) >= COUNT_MOST, 0))
		counter_tell(address, counter);
}

/* A whole access of so many bytes, 16 at most, in one block. */
static inline __attribute__((always_inline)) void
count(const volatile void *address, unsigned bytes, unsigned reads, unsigned writes)
{
	unsigned units = (bytes + UNIT - 1) / UNIT;
	count_block((uintptr_t)address, reads * units, writes * units);
}

/* An access that may lie in several blocks: each counts the units that its part of the bytes fill. */
void count_range(uintptr_t address, uintptr_t bytes, unsigned reads, unsigned writes);
