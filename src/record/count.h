/* Counting an access of the program (floor: record; called by the entries in hooks.c, atomics.c and copies.c).
 *
 * A page of 32 KiB has 512 counters, one for each block of 64 bytes. A part finds the counters of a page at one look
 * among those that it has met last. Only the identity that has the table writes it: thread-local memory goes with
 * it, also where a member changes its kernel thread. A signal handler of the program may come between, and then at
 * most some accesses are lost.
 *
 * The compilers call these for each access, so an instruction less is to be felt. */
#pragma once
#include <stdint.h>

#include "forestgomp/record.h"

#define BLOCK 64
#define UNIT 8
#define PAGE_BITS 15
#define PAGE_BLOCKS ((1u << PAGE_BITS) / BLOCK)
#define FRONT_BITS 9

struct counter {
	uint32_t reads, writes; /* at the highest bit they are told, and begin again */
};

struct slot {
	uintptr_t page; /* its number; 0: the slot is free. No program has data there */
	struct counter *counters;
};

enum { ASKS, COUNTS, NOBODY }; /* whose accesses these are is not known; a table's; nobody's */

/* The calling thread's. */
struct mine {
	struct slot *front; /* pages that were met last, of 1 << FRONT_BITS; never NULL */
	unsigned state;
	struct table *table;
};
extern _Thread_local struct mine fg_mine;

/* Counts for the library, or whatever else `with` is. */
void fg_tables_begin(const struct fgomp_recording *with);
/* The hooks of this object ask the library, once. */
void fg_hooks_begin(void);
/* The calling thread's part is over. */
void fg_tables_leave(void);
/* All that has been counted is told. */
void fg_tables_end(void);
/* The counter of this block, or NULL: nobody wants it. */
struct counter *fg_counter_of(uintptr_t address);
/* The counters of this block are told, and begin again. */
void fg_counter_tell(uintptr_t address, struct counter *counter);

static inline __attribute__((always_inline)) struct slot *
front_of(struct slot *front, uintptr_t page)
{
	return &front[(uint32_t)page * UINT32_C(0x9e3779b1) >> (32 - FRONT_BITS)];
}

static inline __attribute__((always_inline)) void
fg_count_block(uintptr_t address, unsigned reads, unsigned writes)
{
	uintptr_t page = address >> PAGE_BITS;
	struct slot *slot = front_of(fg_mine.front, page);
	struct counter *counter;
	if (__builtin_expect(slot->page == page, 1))
		counter = &slot->counters[address / BLOCK % PAGE_BLOCKS];
	else if (fg_mine.state == NOBODY || !(counter = fg_counter_of(address)))
		return;
	if (reads && __builtin_expect((int32_t)(counter->reads += reads) < 0, 0))
		fg_counter_tell(address, counter);
	if (writes && __builtin_expect((int32_t)(counter->writes += writes) < 0, 0))
		fg_counter_tell(address, counter);
}

/* A whole access of so many bytes, 16 at most, in one block. */
static inline __attribute__((always_inline)) void
fg_count(const volatile void *address, unsigned bytes, unsigned reads, unsigned writes)
{
	unsigned units = (bytes + UNIT - 1) / UNIT;
	fg_count_block((uintptr_t)address, reads * units, writes * units);
}

/* An access that may lie in several blocks: each counts the units that its part of the bytes fill. */
void fg_count_range(uintptr_t address, uintptr_t bytes, unsigned reads, unsigned writes);
